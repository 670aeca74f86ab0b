package io.counterflow.core.log;

import io.counterflow.core.numeric.Require;

/**
 * The range of the rewards of a loop, in its own unit. Everything inside works with rewards in [0,
 * 1]: the lowest reward is 0 there, and the highest one 1.
 *
 * @param low the lowest reward
 * @param high the highest reward
 */
public record RewardRange(double low, double high) {

    /** The range of loops that have no unit of their own. */
    public static final RewardRange UNIT = new RewardRange(0.0, 1.0);

    private static final double LARGEST = 1e9;

    /** So that differences of rewards keep most of their digits. */
    private static final double LEAST_WIDTH = 1e-6;

    public RewardRange {
        Require.that(
                low >= -LARGEST && high <= LARGEST && high > low,
                "rewardRange must be two increasing numbers in [-1e9, 1e9], got [%s, %s]",
                low,
                high);
        Require.that(
                high - low >= LEAST_WIDTH * Math.max(1.0, Math.max(Math.abs(low), Math.abs(high))),
                "rewardRange must not be so narrow beside its numbers, got [%s, %s]",
                low,
                high);
        low += 0.0; // not −0
        high += 0.0;
    }

    /** The reward in [0, 1]. */
    public double toUnit(String field, double reward) {
        if (!(reward >= low && reward <= high)) { // also if it is not a number
            throw new IllegalArgumentException(
                    "%s must be in [%s, %s], got %s"
                            .formatted(field, show(low), show(high), reward));
        }
        return (reward - low) / (high - low);
    }

    /** The reward in the loop's own unit; an estimate may be outside of the range. */
    public double fromUnit(double reward) {
        return low + reward * (high - low);
    }

    /** A difference of rewards, or a standard error, in the loop's own unit. */
    public double differenceFromUnit(double difference) {
        return difference * (high - low);
    }

    /** What a difference of rewards is inside. */
    public double differenceToUnit(double difference) {
        return difference / (high - low);
    }

    /** What a reward of nothing is inside, or the nearest reward that is possible. */
    public double zero() {
        return toUnit("0", Math.min(high, Math.max(low, 0.0)));
    }

    private static String show(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    @Override
    public String toString() {
        return "[%s, %s]".formatted(show(low), show(high));
    }
}
