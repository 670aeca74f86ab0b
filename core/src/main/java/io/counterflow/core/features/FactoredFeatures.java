package io.counterflow.core.features;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * The features of a request before they are multiplied. Scores can be computed from them without
 * storing the products, of which there are many. The order of the products of an action is that of
 * {@link HashedEncoder}. Immutable.
 */
final class FactoredFeatures {

    private static final int COMBINE = 0x01000193;

    private final int[] contextHashes; // times COMBINE
    private final double[] contextValues;
    private final int[] contextRuns; // where each begins, and the end
    private final int[] actionHashes;
    private final double[] actionValues;
    private final int[] actionRuns;
    private final int[] firstRuns; // of each action, and the number of runs
    private final Partners[] partners; // of each run of the actions
    private final int[] rowStarts;
    private final double bound;

    private FactoredFeatures(
            NamespaceRuns context,
            NamespaceRuns actions,
            int[] firstRuns,
            IntFunction<Partners> partnersOf) {
        contextHashes = context.hashes();
        for (int i = 0; i < contextHashes.length; i++) {
            contextHashes[i] *= COMBINE;
        }
        contextValues = context.values();
        contextRuns = context.runStarts();
        actionHashes = actions.hashes();
        actionValues = actions.values();
        actionRuns = actions.runStarts();
        this.firstRuns = firstRuns;
        partners = new Partners[actions.runs()];
        Arrays.setAll(partners, partnersOf);
        rowStarts = new int[firstRuns.length];
        for (int action = 0; action + 1 < rowStarts.length; action++) {
            long length = 0;
            for (int run = firstRuns[action]; run < firstRuns[action + 1]; run++) {
                length += (actionRuns[run + 1] - actionRuns[run]) * (1 + partners[run].features());
            }
            rowStarts[action + 1] = Math.toIntExact(rowStarts[action] + length);
        }
        double ofAction = Norms.maxAbsolute(actionValues);
        bound = Math.max(ofAction, ofAction * Norms.maxAbsolute(contextValues));
    }

    /**
     * The products of a request. The arguments may be used for another request afterwards.
     *
     * @param firstRuns the first run of each action, and the number of runs. Not copied.
     * @param partnersOf the runs of the context that are multiplied with a run of the actions
     */
    static FactoredFeatures of(
            NamespaceRuns context,
            NamespaceRuns actions,
            int[] firstRuns,
            IntFunction<Partners> partnersOf) {
        return new FactoredFeatures(context, actions, firstRuns, partnersOf);
    }

    /** Where the entries of each action start, and the number of entries. Not copied. */
    int[] rowStarts() {
        return rowStarts;
    }

    /** No value is larger than this. */
    double bound() {
        return bound;
    }

    /** The sum of value times weight over the entries of an action, in order. */
    float score(int action, int mask, float[] weights) {
        float sum = 0.0f;
        for (int j = firstFeature(action); j < firstFeature(action + 1); j++) {
            sum += (float) actionValues[j] * weights[actionHashes[j] & mask];
        }
        for (int c = 0; c + 1 < contextRuns.length; c++) {
            for (int run = firstRuns[action]; run < firstRuns[action + 1]; run++) {
                if (partners[run].contains(c)) {
                    sum = addScores(c, run, mask, weights, sum);
                }
            }
        }
        return sum;
    }

    private float addScores(
            int contextRun, int actionRun, int mask, float[] weights, float before) {
        float sum = before;
        int start = actionRuns[actionRun];
        int end = actionRuns[actionRun + 1];
        for (int i = contextRuns[contextRun]; i < contextRuns[contextRun + 1]; i++) {
            int contextHash = contextHashes[i];
            double contextValue = contextValues[i];
            for (int j = start; j < end; j++) {
                sum +=
                        (float) (contextValue * actionValues[j])
                                * weights[MurmurHash3.mix(contextHash ^ actionHashes[j]) & mask];
            }
        }
        return sum;
    }

    /**
     * Computes all entries.
     *
     * @param indices as long as there are entries. Overwritten.
     * @param values as long as there are entries. Overwritten.
     */
    void entries(int mask, int[] indices, float[] values) {
        int size = 0;
        for (int action = 0; action + 1 < firstRuns.length; action++) {
            for (int j = firstFeature(action); j < firstFeature(action + 1); j++) {
                indices[size] = actionHashes[j] & mask;
                values[size++] = (float) actionValues[j];
            }
            for (int c = 0; c + 1 < contextRuns.length; c++) {
                for (int run = firstRuns[action]; run < firstRuns[action + 1]; run++) {
                    if (partners[run].contains(c)) {
                        size = multiply(c, run, mask, indices, values, size);
                    }
                }
            }
        }
    }

    /** Appends c · a for each feature c of a run and, within it, each feature a of another. */
    private int multiply(
            int contextRun, int actionRun, int mask, int[] indices, float[] values, int before) {
        int start = actionRuns[actionRun];
        int length = actionRuns[actionRun + 1] - start;
        int from = contextRuns[contextRun];
        int to = contextRuns[contextRun + 1];
        // The longer loop is the inner one: actions have few features.
        for (int j = 0; j < length; j++) {
            int actionHash = actionHashes[start + j];
            double actionValue = actionValues[start + j];
            int at = before + j;
            for (int i = from; i < to; i++) {
                indices[at] = MurmurHash3.mix(contextHashes[i] ^ actionHash) & mask;
                values[at] = (float) (contextValues[i] * actionValue);
                at += length;
            }
        }
        return before + (to - from) * length;
    }

    private int firstFeature(int action) {
        return actionRuns[firstRuns[action]];
    }
}
