package io.counterflow.core.features;

import java.util.BitSet;

/**
 * The runs of a context that are multiplied with the features of one namespace of the actions.
 *
 * @param runs positions of the runs
 * @param features number of features in these runs
 */
record Partners(BitSet runs, long features) {

    static Partners of(EncoderSpec spec, NamespaceRuns context, String actionNamespace) {
        BitSet runs = new BitSet(context.runs());
        long features = 0;
        for (int c = 0; c < context.runs(); c++) {
            if (spec.interact(context.runName(c), actionNamespace)) {
                runs.set(c);
                features += context.runEnd(c) - context.runStart(c);
            }
        }
        return new Partners(runs, features);
    }

    boolean contains(int contextRun) {
        return runs.get(contextRun);
    }
}
