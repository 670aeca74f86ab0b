package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.estimate.LogSmoothedIps;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;
import java.time.Instant;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One loop's examples, read from log files.
 *
 * @param examples the examples; a missing propensity is 1
 * @param missingPropensities positions of the examples without a logged propensity
 * @param shape a model that fits the examples, all zero
 * @param encoder how named features were hashed; present exactly when the shape is hashed
 * @param normBound the bound that was enforced on the features
 * @param latest the latest impression's time
 */
public record LoadedLog(
        String loop,
        ExampleLog examples,
        BitSet missingPropensities,
        LinearModel shape,
        Optional<EncoderSpec> encoder,
        OptionalDouble normBound,
        Instant latest,
        long skipped) {

    /** Whether some propensities are missing, or estimated. */
    public boolean lacksPropensities() {
        return !missingPropensities.isEmpty();
    }

    public void requirePropensities(String remedy) {
        if (lacksPropensities()) {
            throw new BadInputException(
                    "the log lacks the propensity of %d of its %d impressions; %s"
                            .formatted(missingPropensities.cardinality(), examples.size(), remedy));
        }
    }

    /** The same log, with missing propensities estimated by a learned logging policy. */
    public LoadedLog withPropensitiesOf(LinearModel loggingPolicy) {
        PolicyOnLog policy = new PolicyOnLog(Policy.softmax(loggingPolicy), examples);
        ExampleLog estimated = new ExampleLog();
        for (int i = 0; i < examples.size(); i++) {
            LoggedExample example = examples.example(i);
            if (missingPropensities.get(i)) {
                // A softmax is above zero, but may round to zero.
                example =
                        example.withPropensity(Math.max(Double.MIN_NORMAL, policy.probability(i)));
            }
            estimated.add(example);
        }
        return with(estimated, missingPropensities);
    }

    /**
     * Estimates the value of a policy.
     *
     * @param folds folds of the reward model of the doubly robust estimate; 0 for no such estimate
     */
    public EvaluationResult evaluate(Policy policy, double tau, double delta, int folds) {
        return BadInputException.ifRefused(
                "--tau, --delta, --folds",
                () -> {
                    PolicyEvaluation evaluation =
                            new PolicyEvaluation(
                                    tau, LogSmoothedIps.defaultSmoothing(examples.size()));
                    if (folds == 0) {
                        evaluation.addAll(examples, policy);
                    } else {
                        evaluation.addAll(
                                examples,
                                policy,
                                CrossFittedRewardModel.fit(
                                        examples, shape, folds, RidgeConfig.DEFAULT));
                    }
                    return evaluation.result(delta);
                });
    }

    /**
     * The certificate "judged on": a lower bound on the value of a policy that was not learned from
     * this log, by logarithmic smoothing. Holds at every n at once, and for logging policies that
     * depend on earlier examples.
     */
    public double judgedOn(Policy policy, double delta) {
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        PolicyOnLog target = new PolicyOnLog(policy, examples);
        for (int i = 0; i < examples.size(); i++) {
            double weight = ImportanceWeight.of(target.probability(i), examples.propensity(i));
            sequence.add(weight * examples.reward(i));
        }
        return sequence.bound(delta);
    }

    /**
     * Whether one policy logged all examples. Otherwise later policies may depend on earlier
     * rewards, and the examples are not independent.
     */
    public boolean isLoggedByOnePolicy() {
        for (int i = 1; i < examples.size(); i++) {
            if (examples.policyVersion(i) != examples.policyVersion(0)) {
                return false;
            }
        }
        return true;
    }

    public LoadedLog with(ExampleLog others, BitSet missing) {
        return new LoadedLog(loop, others, missing, shape, encoder, normBound, latest, skipped);
    }
}
