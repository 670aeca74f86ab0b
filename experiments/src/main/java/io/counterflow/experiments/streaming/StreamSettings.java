package io.counterflow.experiments.streaming;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.text.JsonName;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodTraining;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * Settings with which a loop learns from the stream.
 *
 * @param objective objective to minimise
 * @param lambda λ
 * @param batch fresh examples per step
 * @param learningRate learning rate of AdaGrad
 * @param bufferSteps additional steps on examples from the buffer after each step on fresh examples
 * @param floor share of uniform draws among the decisions of a learned policy
 * @param priorVariance σ₀² of the Bayesian objectives
 * @param policy how learned policies decide; a mixed logit needs a Bayesian objective
 */
record StreamSettings(
        ObjectiveName objective,
        double lambda,
        int batch,
        double learningRate,
        int bufferSteps,
        double floor,
        double priorVariance,
        PolicyKind policy) {

    /** Not the default of loops, which learn with a reward model as well and take fewer steps. */
    static final int BUFFER_STEPS = 64;

    StreamSettings {
        Require.finiteAtLeastZero(lambda, "lambda");
        Require.atLeast(1, batch, "batch");
        Require.finiteAboveZero(learningRate, "learningRate");
        Require.atLeast(0, bufferSteps, "bufferSteps");
        Require.share(floor, "floor");
        Require.finiteAboveZero(priorVariance, "priorVariance");
        Require.that(
                policy == PolicyKind.SOFTMAX || objective.isBayesian(),
                "policy must be softmax with %s, which learns no variance, got mixedLogit",
                objective);
    }

    /** Returns these settings with another number of buffer steps. */
    StreamSettings withBufferSteps(int other) {
        return new StreamSettings(
                objective, lambda, batch, learningRate, other, floor, priorVariance, policy);
    }

    /**
     * The spec of the loop. All other settings have the defaults of loop specs.
     *
     * @param start the starting policy
     * @param mode whether candidates are promoted automatically or by commands
     * @param buffer maximum number of buffered examples
     * @param generation number of examples after which a candidate is frozen; 0 for none
     * @param norm largest norm of a context
     */
    LoopSpec spec(
            LinearModel start,
            RolloutMode mode,
            int buffer,
            long generation,
            double norm,
            long seed) {
        DenseModel model = (DenseModel) start;
        String[] actions =
                IntStream.range(0, model.actions())
                        .mapToObj(Integer::toString)
                        .toArray(String[]::new);
        boolean mixedLogit = policy == PolicyKind.MIXED_LOGIT;
        return LoopSpec.builder("stream")
                .vectors(model.dimension(), actions)
                .set(
                        LoopSettings.STARTING_POLICY,
                        Optional.of(PolicySnapshot.of("stream", 0, model, Optional.empty())))
                .set(LoopSettings.ROLLOUT_MODE, mode)
                .set(LoopSettings.EXPLORATION_FLOOR, floor)
                .set(LoopSettings.LEARNER, LearnerKind.LPR)
                .set(LoopSettings.OBJECTIVE_NAME, objective)
                .set(
                        LoopSettings.NORM_BOUND,
                        objective.isBayesian() ? OptionalDouble.of(norm) : OptionalDouble.empty())
                .set(LoopSettings.PRIOR_VARIANCE, priorVariance)
                .set(LoopSettings.POLICY, policy)
                .set(
                        LoopSettings.PROPENSITY_KIND,
                        mixedLogit ? PropensityKind.UPPER_BOUND : PropensityKind.EXACT)
                .set(LoopSettings.LAMBDA, lambda)
                .set(LoopSettings.TAU, Method.PROPENSITY_FLOOR)
                .set(LoopSettings.SMOOTHING, 1.0 / Math.sqrt(buffer))
                .set(LoopSettings.LEARNING_RATE, learningRate)
                .set(LoopSettings.ADA_GRAD_SMOOTHING, MethodTraining.SMOOTHING)
                .set(LoopSettings.BATCH_SIZE, (long) batch)
                .set(LoopSettings.BUFFER_STEPS, (long) bufferSteps)
                .set(LoopSettings.BUFFER_CAPACITY, (long) Math.max(buffer, batch))
                .set(LoopSettings.SEED, seed)
                .set(LoopSettings.SNAPSHOT_EXAMPLES, generation)
                .set(LoopSettings.SNAPSHOT_REWARDS, 0.0)
                .build();
    }

    /** Returns these settings with another share of uniform draws. */
    StreamSettings withFloor(double other) {
        return new StreamSettings(
                objective, lambda, batch, learningRate, bufferSteps, other, priorVariance, policy);
    }

    /** Number of examples in all steps for this number of fresh examples. */
    long cost(long fresh) {
        return fresh * (1L + bufferSteps);
    }

    /** The part of a unit's key for these settings, without λ. */
    String setting() {
        String setting =
                "objective=%s batch=%d rate=%s bufferSteps=%d"
                        .formatted(objective, batch, learningRate, bufferSteps);
        return objective.isBayesian()
                ? "%s priorVariance=%s policy=%s"
                        .formatted(setting, priorVariance, JsonName.of(policy))
                : setting;
    }

    /** The same, with the floor, which matters only if learned policies make the decisions. */
    String settingWithFloor() {
        return setting() + " floor=" + floor;
    }
}
