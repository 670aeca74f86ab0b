package io.counterflow.core.loop;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;

/**
 * What one loop's learner is told. Immutable, and checked once, here.
 *
 * @param shape a model of the loop's shape; its numbers do not matter and are set to zero
 * @param objective what is learned
 * @param optimizer AdaGrad's learning rate and smoothing
 * @param batches mini-batches and buffer
 * @param snapshots when candidates are frozen
 * @param delta δ: bounds of certificates hold with probability at least 1 − δ
 * @param priorVariance σ<sub>0</sub>² of the bounds
 */
public record LearnerSpec(
        LinearModel shape,
        StreamObjective objective,
        AdaGrad optimizer,
        MiniBatches batches,
        SnapshotCadence snapshots,
        double delta,
        double priorVariance) {

    public LearnerSpec {
        shape = shape.zeros();
        Require.delta(delta);
        Require.finiteAboveZero(priorVariance, "priorVariance");
    }

    /** The same with a limit on the bytes of features in the buffer. */
    public LearnerSpec withBufferBytes(long bytes) {
        return with(
                new MiniBatches(
                        batches.size(),
                        batches.replay(),
                        batches.bufferCapacity(),
                        batches.seed(),
                        bytes));
    }

    /** The same with other mini-batches and another buffer. */
    public LearnerSpec with(MiniBatches others) {
        return new LearnerSpec(
                shape, objective, optimizer, others, snapshots, delta, priorVariance);
    }
}
