package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.LinearModel;

/**
 * A logging policy that was estimated from its actions, the first step of the paper.
 *
 * @param lambda strength of the L2 penalty
 * @param negativeLogLikelihood mean of −ln π(a|x), without the penalty
 */
record LoggingPolicyEstimate(LinearModel model, double lambda, double negativeLogLikelihood) {

    /** High, as in the paper, so that the estimated distribution is not too peaked. */
    static final double DEFAULT_LAMBDA = 0.01;

    static final int DEFAULT_EPOCHS = 100;

    static LoggingPolicyEstimate learn(
            LoadedLog log, double lambda, int epochs, TrainingOptions training, Output output) {
        PolicyTrainer.Trained trained =
                training.train(
                        BadInputException.ifRefused(
                                "--lambda", () -> Objectives.loggingPolicy(lambda)),
                        log.examples(),
                        log.shape(),
                        TrainerConfig.Start.ZEROS,
                        1.0,
                        epochs,
                        "learning the logging policy",
                        output);
        double penalty = lambda * trained.model().squaredDistance(log.shape());
        return new LoggingPolicyEstimate(trained.model(), lambda, trained.objective() - penalty);
    }
}
