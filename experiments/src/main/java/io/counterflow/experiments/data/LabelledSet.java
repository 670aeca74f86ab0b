package io.counterflow.experiments.data;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.NormBound;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.Checksum;

/**
 * Contexts with their classes. Logs, folds and trials refer to these vectors and do not copy them.
 * Immutable.
 */
public final class LabelledSet {

    private final List<DenseVector> contexts;
    private final int[] labels;

    /**
     * @param contexts at least one vector; all have the same dimension
     * @param labels one class per context. Copied.
     */
    public LabelledSet(List<DenseVector> contexts, int[] labels) {
        if (contexts.isEmpty() || contexts.size() != labels.length) {
            throw new IllegalArgumentException(
                    "a set needs contexts and a label for each, got %d and %d"
                            .formatted(contexts.size(), labels.length));
        }
        this.contexts = List.copyOf(contexts);
        this.labels = labels.clone();
    }

    /** Number of contexts. */
    public int size() {
        return labels.length;
    }

    /** Number of features of a context. */
    public int dimension() {
        return contexts.get(0).dimension();
    }

    /** One context. */
    public DenseVector context(int i) {
        return contexts.get(i);
    }

    /** The largest norm of a context. */
    public double maxNorm() {
        return NormBound.measured(contexts).value();
    }

    /** Its class, from 0. */
    public int label(int i) {
        return labels[i];
    }

    /**
     * Adds all labels and the bits of all features to a checksum. The result is the same on all
     * machines.
     */
    void addTo(Checksum sum) {
        ByteBuffer row =
                ByteBuffer.allocate(Integer.BYTES + Float.BYTES * dimension())
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < labels.length; i++) {
            row.clear().putInt(labels[i]);
            row.asFloatBuffer().put(contexts.get(i).values());
            sum.update(row.array()); // one row at a time, because single bytes are much slower
        }
    }
}
