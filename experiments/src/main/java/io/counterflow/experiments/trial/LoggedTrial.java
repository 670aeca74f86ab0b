package io.counterflow.experiments.trial;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.experiments.data.LabelledSet;
import io.counterflow.experiments.run.UnitKey;
import org.jspecify.annotations.Nullable;

/**
 * One trial's log: what a logging policy chose for contexts whose labels it does not know, and
 * whether it was right.
 *
 * <p>Features are those of the data set itself; only actions, propensities and rewards are the
 * trial's own.
 */
public final class LoggedTrial {

    /** The paper's step one: λ aggressively high, so that the estimate is not too peaked. */
    private static final double LEARNED_LAMBDA = 0.01;

    private static final int LEARNED_EPOCHS = 100;

    private final long seed;
    private final int number;
    private final LinearModel logging;
    private final ExampleLog log;
    private @Nullable LinearModel learned;

    private LoggedTrial(long seed, int number, LinearModel logging, ExampleLog log) {
        this.seed = seed;
        this.number = number;
        this.logging = logging;
        this.log = log;
    }

    /**
     * Has contexts decided by a policy.
     *
     * @param contexts positions in the set, in the order in which they come
     */
    static LoggedTrial of(
            LabelledSet set, int[] contexts, LinearModel logging, long seed, int number) {
        Policy policy = Policy.softmax(logging);
        EventRandom random = Seeds.random(seed, number, "log");
        ExampleLog log = new ExampleLog();
        for (int i : contexts) {
            Decision decision = policy.decide(set.context(i), AllowedActions.ALL, random);
            double reward = decision.action() == set.label(i) ? 1.0 : 0.0;
            log.add(
                    new LoggedExample(
                            set.context(i), decision.action(), decision.propensity(), reward, 0));
        }
        return new LoggedTrial(seed, number, logging, log);
    }

    int number() {
        return number;
    }

    /** The policy that logged. */
    public LinearModel logging() {
        return logging;
    }

    public ExampleLog log() {
        return log;
    }

    /** What a method takes for the logging policy. */
    LinearModel prior(Method.Prior prior) {
        return switch (prior) {
            case NONE -> logging.zeros();
            case LOGGING -> logging;
            case LEARNED -> learned();
        };
    }

    /** The logging policy as its actions alone show it; learned when first asked for. */
    private synchronized LinearModel learned() {
        if (learned == null) {
            learned =
                    new PolicyTrainer(
                                    Objectives.loggingPolicy(LEARNED_LAMBDA),
                                    new TrainerConfig(
                                            LEARNED_EPOCHS,
                                            MethodTraining.BATCH_SIZE,
                                            new AdaGrad(
                                                    MethodTraining.LEARNING_RATE,
                                                    MethodTraining.SMOOTHING),
                                            Seeds.order(seed, number, UnitKey.WHOLE_LOG),
                                            TrainerConfig.Start.ZEROS))
                            .train(log, logging.zeros(), epoch -> {})
                            .model();
        }
        return learned;
    }
}
