package io.counterflow.cli.data;

import io.counterflow.core.features.DenseVector;
import java.util.List;

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
}
