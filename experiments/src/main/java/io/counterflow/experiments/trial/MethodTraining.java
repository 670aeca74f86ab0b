package io.counterflow.experiments.trial;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.LinearModel;
import java.util.function.IntConsumer;

/**
 * Training as in the paper: AdaGrad with mini-batches of 100, learning rate 0.1 and smoothing 1.
 *
 * @param method method to train
 * @param strength strength of the regulariser
 * @param epochs passes over the log
 * @param orderSeed seed of the shuffles
 */
public record MethodTraining(Method method, Strength strength, int epochs, long orderSeed) {

    public static final double SMOOTHING = 1.0;

    private static final int BATCH_SIZE = 100;
    private static final double LEARNING_RATE = 0.1;

    /**
     * Trains on a log.
     *
     * @param examples the trial's log, or a part of it
     * @param epochDone called after each epoch with the number of finished epochs
     */
    public LinearModel run(LoggedTrial trial, ExampleLog examples, IntConsumer epochDone) {
        return new PolicyTrainer(
                        method.objective(strength, examples.size()),
                        config(epochs, orderSeed, method.start()))
                .train(examples, trial.prior(method.prior()), epochDone)
                .model();
    }

    /** Trains a policy that chooses the actions of a log, by their regularised likelihood. */
    static LinearModel imitate(
            ExampleLog log, LinearModel zeros, double lambda, int epochs, long orderSeed) {
        return new PolicyTrainer(
                        Objectives.loggingPolicy(lambda),
                        config(epochs, orderSeed, TrainerConfig.Start.ZEROS))
                .train(log, zeros, epoch -> {})
                .model();
    }

    private static TrainerConfig config(int epochs, long orderSeed, TrainerConfig.Start start) {
        AdaGrad optimizer = new AdaGrad(LEARNING_RATE, SMOOTHING);
        return new TrainerConfig(epochs, BATCH_SIZE, optimizer, orderSeed, start);
    }
}
