package io.counterflow.schemas;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.loop.LearnerSpec;
import io.counterflow.core.loop.MiniBatches;
import io.counterflow.core.loop.SnapshotCadence;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.OptionalDouble;

/**
 * What a loop learns, and how.
 *
 * @param objective what is learned
 * @param optimizer how it is descended
 * @param batches mini-batches and buffer
 * @param snapshots when candidates are frozen
 * @param delta δ: bounds hold with probability at least 1 − δ
 * @param priorVariance σ<sub>0</sub>² of the bounds
 */
public record LearningRule(
        Loss objective,
        Optimizer optimizer,
        Batches batches,
        Snapshots snapshots,
        double delta,
        double priorVariance) {

    private static final double SMALLEST_PRIOR_VARIANCE = 1e-12;

    public LearningRule {
        Require.delta(delta);
        if (!(priorVariance >= SMALLEST_PRIOR_VARIANCE
                && priorVariance <= 1.0 / SMALLEST_PRIOR_VARIANCE)) {
            throw new IllegalArgumentException(
                    "priorVariance must be in [1e-12, 1e12], got " + priorVariance);
        }
    }

    /**
     * The training objective.
     *
     * @param kind which one
     * @param lambda λ, strength of the regularisation
     * @param varianceLambda strength of the variance in {@code poem-l2}, for the same spec offline
     * @param tau τ, smallest propensity used as a divisor
     * @param smoothing s of logarithmic smoothing; empty takes one over the root of the buffer's
     *     limit
     */
    public record Loss(
            StreamObjective.Kind kind,
            double lambda,
            double varianceLambda,
            double tau,
            OptionalDouble smoothing) {

        /** With it, every pull towards the prior is within the range of a float. */
        private static final double LARGEST_LAMBDA = 1e9;

        private static final double SMALLEST_TAU = 1e-12;
        private static final double SMALLEST_SMOOTHING = 1e-6;

        public Loss {
            requireLambda(lambda, "lambda");
            requireLambda(varianceLambda, "varianceLambda");
            if (!(tau >= SMALLEST_TAU && tau <= 1.0)) {
                throw new IllegalArgumentException("tau must be in [1e-12, 1], got " + tau);
            }
            if (smoothing.isPresent()) {
                double s = smoothing.getAsDouble();
                if (!(s >= SMALLEST_SMOOTHING && s <= 1.0 / SMALLEST_SMOOTHING)) {
                    throw new IllegalArgumentException(
                            "smoothing must be in [1e-6, 1e6], got " + s);
                }
            }
        }

        private static void requireLambda(double value, String field) {
            if (!(value >= 0.0 && value <= LARGEST_LAMBDA)) {
                throw new IllegalArgumentException(field + " must be in [0, 1e9], got " + value);
            }
        }

        private StreamObjective objective(int bufferLimit) {
            double byBuffer = Math.max(SMALLEST_SMOOTHING, 1.0 / Math.sqrt(bufferLimit));
            return new StreamObjective(kind, lambda, tau, smoothing.orElse(byBuffer));
        }
    }

    /**
     * AdaGrad's settings, within limits that keep every step finite in floats.
     *
     * @param learningRate its step size
     * @param adaGradSmoothing added outside the root
     */
    public record Optimizer(double learningRate, double adaGradSmoothing) {

        private static final double LARGEST_RATE = 1e6;
        private static final double SMALLEST_SMOOTHING = 1e-12;

        public Optimizer {
            if (!(learningRate > 0.0 && learningRate <= LARGEST_RATE)) {
                throw new IllegalArgumentException(
                        "learningRate must be in (0, 1e6], got " + learningRate);
            }
            if (!(adaGradSmoothing >= SMALLEST_SMOOTHING
                    && adaGradSmoothing <= 1.0 / SMALLEST_SMOOTHING)) {
                throw new IllegalArgumentException(
                        "adaGradSmoothing must be in [1e-12, 1e12], got " + adaGradSmoothing);
            }
        }
    }

    /**
     * How examples become steps.
     *
     * @param batchSize examples per step
     * @param replay further steps over buffered examples per fresh step
     * @param bufferLimit most examples of a generation that are kept for replay and certificates
     * @param seed of the draws from the buffer
     */
    public record Batches(int batchSize, int replay, int bufferLimit, long seed) {

        private static final int MAX_REPLAY = 1_000;
        private static final int MAX_BUFFER = 10_000_000;

        public Batches {
            Require.atLeast(1, batchSize, "batchSize");
            if (replay < 0 || replay > MAX_REPLAY) {
                throw new IllegalArgumentException(
                        "replay must be in [0, %d], got %d".formatted(MAX_REPLAY, replay));
            }
            if (bufferLimit < batchSize || bufferLimit > MAX_BUFFER) {
                throw new IllegalArgumentException(
                        "bufferLimit must be in [%d, %d], from the batchSize on, got %d"
                                .formatted(batchSize, MAX_BUFFER, bufferLimit));
            }
        }
    }

    /**
     * When candidates are frozen.
     *
     * @param snapshotExamples examples between two snapshots; 0 for no limit
     * @param snapshotInterval event time between two snapshots, in whole milliseconds; zero for no
     *     limit
     */
    public record Snapshots(long snapshotExamples, Duration snapshotInterval) {

        private static final Duration LONGEST = Duration.ofDays(366_000);

        public Snapshots {
            Require.atLeast(0, snapshotExamples, "snapshotExamples");
            if (snapshotInterval.isNegative() || snapshotInterval.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "snapshotInterval must be in [PT0S, %s], got %s"
                                .formatted(LONGEST, snapshotInterval));
            }
            if (!snapshotInterval.equals(snapshotInterval.truncatedTo(ChronoUnit.MILLIS))) {
                throw new IllegalArgumentException(
                        "snapshotInterval must be whole milliseconds, got " + snapshotInterval);
            }
        }
    }

    /** What the learner of a model of this shape is told. */
    public LearnerSpec learnerSpec(LinearModel shape) {
        return new LearnerSpec(
                shape,
                streamObjective(),
                new AdaGrad(optimizer.learningRate(), optimizer.adaGradSmoothing()),
                new MiniBatches(
                        batches.batchSize(),
                        batches.replay(),
                        batches.bufferLimit(),
                        batches.seed()),
                new SnapshotCadence(
                        snapshots.snapshotExamples(), snapshots.snapshotInterval().toMillis()),
                delta,
                priorVariance);
    }

    /** The objective with its smoothing, also where the spec leaves it open. */
    public StreamObjective streamObjective() {
        return objective.objective(batches.bufferLimit());
    }
}
