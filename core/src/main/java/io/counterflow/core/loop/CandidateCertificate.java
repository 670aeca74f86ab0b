package io.counterflow.core.loop;

import io.counterflow.core.bound.BoundSettings;
import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.bound.RiskBound;
import io.counterflow.core.bound.ValueBound;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.SoftmaxPolicy;
import java.util.OptionalDouble;

/**
 * What is known about a candidate's value from examples that its own prior logged.
 *
 * <p>The prior was fixed before those examples, so the bounds hold although the candidate was
 * learned from them: they hold for all posteriors at once. Each certificate holds by itself with
 * probability at least 1 − δ; those of a row of candidates are not all sure together. The estimates
 * are of the policy on its own training data and flatter it; the bounds do not.
 *
 * @param estimates all estimators
 * @param riskBound the paper's upper bound on the risk, for a prior fixed before the data
 * @param logSmoothedBound the lower bound on the value by logarithmic smoothing
 */
public record CandidateCertificate(
        EvaluationResult estimates, RiskBound riskBound, ValueBound logSmoothedBound) {

    /**
     * Evaluates a candidate.
     *
     * @param log examples that the prior logged, at least one
     */
    static CandidateCertificate of(
            ExampleLog log, LinearModel candidate, LinearModel prior, LearnerSpec spec) {
        double floor = spec.objective().propensityFloor();
        PolicyEvaluation evaluation = new PolicyEvaluation(floor, spec.objective().smoothing());
        evaluation.addAll(log, new SoftmaxPolicy(candidate));
        PolicyBounds bounds =
                PolicyBounds.of(
                        log,
                        candidate,
                        prior,
                        new BoundSettings(
                                floor,
                                false,
                                spec.delta(),
                                spec.priorVariance(),
                                OptionalDouble.empty(),
                                OptionalDouble.empty()));
        return new CandidateCertificate(
                evaluation.result(spec.delta()), bounds.paperBound(), bounds.logSmoothed());
    }
}
