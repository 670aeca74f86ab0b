package io.counterflow.flink.windows;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.estimate.PolicyEvaluation;

/** One policy that is scored on some examples: its estimators and its mean weight. */
record Target(long version, PolicyEvaluation evaluation, MeanWeightBounds weights) {

    /** Approximate heap, in bytes: eight estimators and two sequences with their grids. */
    static final int BYTES = 1_500;

    void add(double probability, double propensity, double reward, double maxWeight) {
        evaluation.add(probability, propensity, reward);
        weights.add(probability, propensity, maxWeight);
    }

    void merge(Target later) {
        evaluation.merge(later.evaluation);
        weights.merge(later.weights);
    }
}
