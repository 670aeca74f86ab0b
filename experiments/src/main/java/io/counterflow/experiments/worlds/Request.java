package io.counterflow.experiments.worlds;

import io.counterflow.core.features.Features;
import io.counterflow.core.policy.AllowedActions;
import java.util.List;
import java.util.function.Supplier;

/** A request to choose an action, and the truth about it. */
final class Request {

    private final Features features;
    private final AllowedActions allowed;
    private final double[] rewards;
    private final double luck;
    private final Supplier<List<String>> lines;

    /**
     * @param rewards the true probability of a reward for each action. Not copied
     * @param luck uniform in [0, 1): there is a reward if it is below the action's probability. The
     *     same for all learners, so that their results differ by their decisions alone
     * @param lines the same features in the text format of Vowpal Wabbit: a line that the actions
     *     share, then one for each action
     */
    Request(
            Features features,
            AllowedActions allowed,
            double[] rewards,
            double luck,
            Supplier<List<String>> lines) {
        this.features = features;
        this.allowed = allowed;
        this.rewards = rewards;
        this.luck = luck;
        this.lines = lines;
    }

    Features features() {
        return features;
    }

    AllowedActions allowed() {
        return allowed;
    }

    /** Number of actions, including those that are not allowed. */
    int actions() {
        return rewards.length;
    }

    List<String> lines() {
        return lines.get();
    }

    /** Whether an action is rewarded. */
    boolean rewards(int action) {
        return luck < rewards[action];
    }

    /** The expected reward of drawing from a distribution over all actions. */
    double value(double[] distribution) {
        double value = 0.0;
        for (int action = 0; action < rewards.length; action++) {
            value += distribution[action] * rewards[action];
        }
        return value;
    }

    /** The expected reward of drawing uniformly from the allowed actions. */
    double uniformValue() {
        double sum = 0.0;
        for (int action = 0; action < rewards.length; action++) {
            sum += allowed.contains(action) ? rewards[action] : 0.0;
        }
        return sum / allowed.count(rewards.length);
    }

    /** The expected reward of the best allowed action. */
    double bestValue() {
        double best = 0.0;
        for (int action = 0; action < rewards.length; action++) {
            best = allowed.contains(action) ? Math.max(best, rewards[action]) : best;
        }
        return best;
    }
}
