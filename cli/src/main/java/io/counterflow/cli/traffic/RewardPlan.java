package io.counterflow.cli.traffic;

import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * When a user's reward arrives: mostly after a while, sometimes never, too late, twice, or followed
 * by another one.
 *
 * <p>The loop waits for {@link #WINDOW_MS} and takes the first reward, so exactly the share {@link
 * #COUNTED} of all rewards counts, and a value under this traffic is that share of the value under
 * users who always answer in time.
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

    /** Delays end well within the window: a slow machine must not make rewards late. */
    private static final long MAX_DELAY_MS = 3_000;

    /** Longer than the window and what the job allows records to be out of order. */
    private static final long LATE_MS = 9_000;

    private static final long AGAIN_MS = 400;

    /**
     * A reward to send.
     *
     * @param delayMs how long after the decision
     * @param number which of the user's rewards it is; one that is sent twice has the same number
     * @param value in [0, 1]
     */
    record Due(long delayMs, int number, double value) {

        /** Whether it comes when the loop waits no more. */
        boolean isLate() {
            return delayMs > WINDOW_MS;
        }
    }

    private RewardPlan() {}

    /** What a user sends who liked what was shown. */
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
