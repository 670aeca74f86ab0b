package io.counterflow.cli;

import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.LogSmoothedIps;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.snapshot.Certificate;
import java.util.OptionalDouble;

/** Estimates of a policy's value, and what a snapshot's certificate says of them. */
final class Evaluations {

    private Evaluations() {}

    /** All estimates but the doubly robust one, which needs a reward model. */
    static EvaluationResult of(LoadedLog log, LinearModel policy, double tau, double delta) {
        return BadInputException.ifRefused(
                "--tau, --delta",
                () -> {
                    PolicyEvaluation evaluation =
                            new PolicyEvaluation(
                                    tau, LogSmoothedIps.defaultSmoothing(log.examples().size()));
                    evaluation.addAll(log.examples(), new SoftmaxPolicy(policy));
                    return evaluation.result(delta);
                });
    }

    /** With estimated propensities no bound holds, so there is none in the certificate. */
    static Certificate certificate(
            EvaluationResult result, PolicyBounds bounds, boolean propensitiesEstimated) {
        return new Certificate(
                new Certificate.Estimates(
                        result.ips().value(),
                        result.truncatedIps().value(),
                        result.selfNormalized().value(),
                        result.logSmoothed().value(),
                        result.onPolicyMean().value()),
                propensitiesEstimated
                        ? OptionalDouble.empty()
                        : finite(bounds.paperBound().total()),
                propensitiesEstimated
                        ? OptionalDouble.empty()
                        : finite(bounds.logSmoothed().total()),
                result.delta(),
                result.n(),
                result.effectiveSampleSize());
    }

    private static OptionalDouble finite(double value) {
        return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
    }
}
