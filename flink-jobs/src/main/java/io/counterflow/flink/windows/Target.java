package io.counterflow.flink.windows;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.estimate.PolicyEvaluation;

/** One policy that is scored on some examples: its estimators and its mean weight. */
final class Target {

    /** Approximate heap, in bytes: eight estimators and two sequences with their grids. */
    static final int BYTES = 1_500;

    private final long version;
    private final PolicyEvaluation evaluation;
    private final MeanWeightBounds weights;

    Target(long version, PolicyEvaluation evaluation, MeanWeightBounds weights) {
        this.version = version;
        this.evaluation = evaluation;
        this.weights = weights;
    }

    void add(double probability, double propensity, double reward, double maxWeight) {
        evaluation.add(probability, propensity, reward);
        weights.add(probability, propensity, maxWeight);
    }

    void merge(Target later) {
        evaluation.merge(later.evaluation);
        weights.merge(later.weights);
    }

    long version() {
        return version;
    }

    PolicyEvaluation evaluation() {
        return evaluation;
    }

    MeanWeightBounds weights() {
        return weights;
    }
}
