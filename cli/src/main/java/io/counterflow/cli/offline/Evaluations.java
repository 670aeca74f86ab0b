package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.LogSmoothedIps;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;

/** Estimates the value of a policy. */
final class Evaluations {

    private Evaluations() {}

    /**
     * @param folds folds of the reward model of the doubly robust estimate; 0 for no such estimate
     */
    static EvaluationResult of(LoadedLog log, Policy policy, double tau, double delta, int folds) {
        ExampleLog examples = log.examples();
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
                                        examples, log.shape(), folds, RidgeConfig.DEFAULT));
                    }
                    return evaluation.result(delta);
                });
    }
}
