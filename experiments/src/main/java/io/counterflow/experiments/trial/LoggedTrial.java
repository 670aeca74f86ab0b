package io.counterflow.experiments.trial;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.experiments.data.LabelledSet;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.UnitKey;

/**
 * The log of a trial: the actions that a logging policy chose for contexts without knowing their
 * labels, and whether they were right.
 *
 * <p>Features are shared with the data set. Only actions, propensities and rewards belong to the
 * trial.
 */
public final class LoggedTrial {

    /** λ of the first step in the paper: high, so that the estimated policy is not too peaked. */
    private static final double LEARNED_LAMBDA = 0.01;

    private static final int LEARNED_EPOCHS = 100;

    private final long seed;
    private final int number;
    private final LinearModel logging;
    private final ExampleLog log;
    private final Lazy<LinearModel> learned;

    private LoggedTrial(long seed, int number, LinearModel logging, ExampleLog log) {
        this.seed = seed;
        this.number = number;
        this.logging = logging;
        this.log = log;
        this.learned = new Lazy<>(this::learn);
    }

    /**
     * Logs the decisions of a policy.
     *
     * @param contexts positions in the set, in the order of the log
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

    /** The logging policy. */
    public LinearModel logging() {
        return logging;
    }

    public ExampleLog log() {
        return log;
    }

    /** The prior of a method. */
    LinearModel prior(Method.Prior prior) {
        return switch (prior) {
            case NONE -> logging.zeros();
            case LOGGING -> logging;
            case LEARNED -> learned.get();
        };
    }

    /** Estimates the logging policy from its actions only. */
    private LinearModel learn() {
        long order = Seeds.order(seed, number, UnitKey.WHOLE_LOG);
        return MethodTraining.imitate(log, logging.zeros(), LEARNED_LAMBDA, LEARNED_EPOCHS, order);
    }
}
