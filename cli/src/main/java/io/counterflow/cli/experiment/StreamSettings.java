package io.counterflow.cli.experiment;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.loop.LearnerSpec;
import io.counterflow.core.loop.MiniBatches;
import io.counterflow.core.loop.SnapshotCadence;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;

/**
 * How a loop learns from the stream.
 *
 * @param objective what is learned
 * @param lambda λ
 * @param batch fresh examples per step
 * @param learningRate AdaGrad's
 * @param replay further steps on examples from the buffer after each fresh one
 * @param floor share of uniform draws among the decisions of a policy that the loop has learned
 */
record StreamSettings(
        StreamObjective.Kind objective,
        double lambda,
        int batch,
        double learningRate,
        int replay,
        double floor) {

    private static final double DELTA = 0.05;
    private static final double PRIOR_VARIANCE = 1.0;

    StreamSettings {
        Require.finiteAtLeastZero(lambda, "lambda");
        Require.atLeast(1, batch, "batch");
        Require.finiteAboveZero(learningRate, "learningRate");
        Require.atLeast(0, replay, "replay");
        if (!(floor >= 0.0 && floor <= 1.0)) {
            throw new IllegalArgumentException("floor must be in [0, 1], got " + floor);
        }
    }

    /** The same with another number of replayed steps. */
    StreamSettings withReplay(int other) {
        return new StreamSettings(objective, lambda, batch, learningRate, other, floor);
    }

    /**
     * What the loop's learner is told.
     *
     * @param buffer most examples that are kept
     * @param generation examples after which a candidate is frozen; 0 for none
     */
    LearnerSpec learner(LinearModel shape, int buffer, long generation, long seed) {
        return new LearnerSpec(
                shape,
                new StreamObjective(
                        objective, lambda, Method.PROPENSITY_FLOOR, 1.0 / Math.sqrt(buffer)),
                new AdaGrad(learningRate, Training.SMOOTHING),
                new MiniBatches(batch, replay, Math.max(buffer, batch), seed),
                new SnapshotCadence(generation, 0),
                DELTA,
                PRIOR_VARIANCE);
    }

    /** Examples that are stepped on for so many fresh ones. */
    long cost(long fresh) {
        return fresh * (1L + replay);
    }

    /** What a unit's key says of it besides λ. */
    String setting() {
        return "objective=%s batch=%d rate=%s replay=%d"
                .formatted(objective.label(), batch, learningRate, replay);
    }

    /** The same with what only matters where learned policies log. */
    String settingWithFloor() {
        return setting() + " floor=" + floor;
    }
}
