package io.counterflow.core.loop;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;

/** A spec to start from, and one method for each thing that a test changes. */
final class Specs {

    static final int ACTIONS = 4;
    static final int DIMENSION = 3;

    private Specs() {}

    static LearnerSpec dense() {
        return of(DenseModel.zeros(ACTIONS, DIMENSION));
    }

    static LearnerSpec of(LinearModel shape) {
        return new LearnerSpec(
                shape,
                new StreamObjective(StreamObjective.Kind.IPS_LPR, 1e-4, 0.01, 0.05),
                new AdaGrad(0.5, 1.0),
                new MiniBatches(10, 2, 50, 7),
                new SnapshotCadence(40, 0),
                0.05,
                1.0);
    }

    static LearnerSpec with(LearnerSpec spec, StreamObjective objective) {
        return new LearnerSpec(
                spec.shape(),
                objective,
                spec.optimizer(),
                spec.batches(),
                spec.snapshots(),
                spec.delta(),
                spec.priorVariance());
    }

    static LearnerSpec with(LearnerSpec spec, StreamObjective.Kind kind) {
        StreamObjective o = spec.objective();
        return with(
                spec, new StreamObjective(kind, o.lambda(), o.propensityFloor(), o.smoothing()));
    }

    static LearnerSpec with(LearnerSpec spec, AdaGrad optimizer) {
        return new LearnerSpec(
                spec.shape(),
                spec.objective(),
                optimizer,
                spec.batches(),
                spec.snapshots(),
                spec.delta(),
                spec.priorVariance());
    }

    static LearnerSpec with(LearnerSpec spec, MiniBatches batches) {
        return new LearnerSpec(
                spec.shape(),
                spec.objective(),
                spec.optimizer(),
                batches,
                spec.snapshots(),
                spec.delta(),
                spec.priorVariance());
    }

    static LearnerSpec with(LearnerSpec spec, SnapshotCadence snapshots) {
        return new LearnerSpec(
                spec.shape(),
                spec.objective(),
                spec.optimizer(),
                spec.batches(),
                snapshots,
                spec.delta(),
                spec.priorVariance());
    }

    static LearnerSpec with(LearnerSpec spec, double delta, double priorVariance) {
        return new LearnerSpec(
                spec.shape(),
                spec.objective(),
                spec.optimizer(),
                spec.batches(),
                spec.snapshots(),
                delta,
                priorVariance);
    }
}
