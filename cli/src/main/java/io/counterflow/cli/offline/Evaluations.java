package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.LogSmoothedIps;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.policy.Policy;

/** Estimates of a policy's value. */
final class Evaluations {

    private Evaluations() {}

    /** All estimates but the doubly robust one, which needs a reward model. */
    static EvaluationResult of(LoadedLog log, Policy policy, double tau, double delta) {
        return BadInputException.ifRefused(
                "--tau, --delta",
                () -> {
                    PolicyEvaluation evaluation =
                            new PolicyEvaluation(
                                    tau, LogSmoothedIps.defaultSmoothing(log.examples().size()));
                    evaluation.addAll(log.examples(), policy);
                    return evaluation.result(delta);
                });
    }
}
