package io.counterflow.cli.traffic;

import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * When a user's reward arrives: mostly after a short delay, sometimes never, too late, twice, or
 * followed by another reward.
 *
 * <p>The loop waits for {@link #WINDOW_MS} and takes the first reward. So exactly the share {@link
 * #COUNTED} of all rewards counts, and the mean reward of a policy is that share of its value in
 * the {@link World}.
 */
public final class RewardPlan {

    /** How long the loop waits for rewards. */
    static final long WINDOW_MS = 5_000;

    private static final double NEVER = 0.02;
    private static final double LATE = 0.02;
    private static final double TWICE = 0.05;
    private static final double ANOTHER = 0.03;

    /** The share of rewards that arrive in time. */
    public static final double COUNTED = 1.0 - NEVER - LATE;

    private static final double MEAN_DELAY_MS = 900;

    /** Well below the window, so that a slow machine does not make rewards late. */
    private static final long MAX_DELAY_MS = 3_000;

    /** Longer than the window plus the out-of-orderness that the job allows. */
    private static final long LATE_MS = 9_000;

    private static final long AGAIN_MS = 400;

    /**
     * A reward to send.
     *
     * @param delayMs delay after the decision
     * @param number number of the reward; a duplicate has the same number
     * @param value in [0, 1]
     */
    record Due(long delayMs, int number, double value) {

        boolean isLate() {
            return delayMs > WINDOW_MS;
        }
    }

    private RewardPlan() {}

    /** Draws the rewards of a user who liked the action. */
    static List<Due> draw(EventRandom random) {
        double fate = random.nextDouble();
        if (fate < NEVER) {
            return List.of();
        }
        if (fate < NEVER + LATE) {
            return List.of(new Due(LATE_MS, 1, 1.0));
        }
        long delay =
                Math.min(
                        MAX_DELAY_MS,
                        (long) (-MEAN_DELAY_MS * StrictMath.log(1.0 - random.nextDouble())));
        List<Due> rewards = new ArrayList<>();
        rewards.add(new Due(delay, 1, 1.0));
        double again = random.nextDouble();
        if (again < TWICE) {
            rewards.add(new Due(delay + AGAIN_MS, 1, 1.0));
        } else if (again < TWICE + ANOTHER) {
            rewards.add(new Due(delay + AGAIN_MS, 2, 0.5));
        }
        return rewards;
    }
}
