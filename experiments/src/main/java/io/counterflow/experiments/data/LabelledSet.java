package io.counterflow.experiments.data;

import io.counterflow.core.features.DenseVector;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.Checksum;

/**
 * Contexts with their classes. Held once: logs, folds and trials refer to these vectors and copy
 * none. Immutable.
 */
public final class LabelledSet {

    private final List<DenseVector> contexts;
    private final int[] labels;

    /**
     * @param contexts vectors of the same dimension, at least one
     * @param labels a class for each. Copied.
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

    /** How many there are. */
    public int size() {
        return labels.length;
    }

    /** How many features a context has. */
    public int dimension() {
        return contexts.get(0).dimension();
    }

    /** One context. */
    public DenseVector context(int i) {
        return contexts.get(i);
    }

    /** Its class, from 0. */
    public int label(int i) {
        return labels[i];
    }

    /** Adds all labels and the bits of all features to a checksum, alike on every machine. */
    void addTo(Checksum sum) {
        ByteBuffer row =
                ByteBuffer.allocate(Integer.BYTES + Float.BYTES * dimension())
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < labels.length; i++) {
            row.clear().putInt(labels[i]);
            row.asFloatBuffer().put(contexts.get(i).values());
            sum.update(row.array()); // a row at a time: byte by byte takes many times as long
        }
    }
}
