package io.counterflow.core.loop;

import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;

/** Computes the certificates of candidates. */
final class Certification {

    private Certification() {}

    /**
     * The certificate of a candidate.
     *
     * <p>The prior was fixed before the examples, so the bound holds although the candidate was
     * learned from them: it holds for all parameters at once. Each certificate holds with
     * probability at least 1 − δ, but not all certificates of several candidates at once. The
     * estimates use the training data of the policy and are too optimistic; the bound is not.
     *
     * @param log examples of one version after the prior
     * @param bounded whether to compute the bound
     */
    static Certificate certify(
            LoopSpec spec, Policy policy, LinearModel prior, ExampleLog log, boolean bounded) {
        double delta = spec.get(LoopSettings.DELTA);
        PolicyEvaluation evaluation =
                new PolicyEvaluation(spec.get(LoopSettings.TAU), spec.get(LoopSettings.SMOOTHING));
        evaluation.addAll(log, policy);
        return Certificate.of(
                evaluation.result(delta),
                bounded
                        ? Optional.of(servedBound(spec, policy, prior, log, delta))
                        : Optional.empty());
    }

    private static ServedBound servedBound(
            LoopSpec spec, Policy policy, LinearModel prior, ExampleLog log, double delta) {
        return spec.hasLearnedVariance()
                ? ServedBound.ofLearnedVariance(
                        log, policy, prior, spec.get(LoopSettings.PRIOR_VARIANCE), delta)
                : ServedBound.of(log, policy, prior, delta);
    }
}
