package io.counterflow.experiments.trial;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import java.util.function.IntConsumer;

/**
 * How the paper trains: AdaGrad with mini-batches of 100, learning rate 0.1 and smoothing 1.
 *
 * @param method what is learned
 * @param strength how strongly it is regularised
 * @param epochs passes over the log
 * @param orderSeed of the shuffles
 */
public record MethodTraining(Method method, Strength strength, int epochs, long orderSeed) {

    static final int BATCH_SIZE = 100;
    static final double LEARNING_RATE = 0.1;
    public static final double SMOOTHING = 1.0;

    /**
     * Trains on a log.
     *
     * @param examples the trial's log, or a part of it
     * @param epochDone told the number of epochs done after each
     */
    public LinearModel run(LoggedTrial trial, ExampleLog examples, IntConsumer epochDone) {
        TrainerConfig config =
                new TrainerConfig(
                        epochs,
                        BATCH_SIZE,
                        new AdaGrad(LEARNING_RATE, SMOOTHING),
                        orderSeed,
                        method.start());
        return new PolicyTrainer(method.objective(strength, examples.size()), config)
                .train(examples, trial.prior(method.prior()), epochDone)
                .model();
    }
}
