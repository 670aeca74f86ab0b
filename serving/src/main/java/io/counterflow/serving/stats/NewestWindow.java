package io.counterflow.serving.stats;

import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the newest window of a loop says about all its decisions. A window has a record for each
 * version.
 *
 * @param n number of decisions
 * @param rewards sum of their rewards
 * @param holdout the gain over the baseline version; empty without a holdout
 */
public record NewestWindow(Instant end, long n, double rewards, Optional<HoldoutRecord> holdout) {

    static NewestWindow of(IpsWindowRecord version) {
        return new NewestWindow(
                version.getWindowEnd(),
                version.getN(),
                rewards(version),
                Optional.ofNullable(version.getHoldout()));
    }

    /** The mean of a version without decisions is not a number. */
    private static double rewards(IpsWindowRecord version) {
        return version.getN() == 0 ? 0.0 : version.getN() * version.getOnPolicyMean();
    }

    /** The same with another record, of this window or of a newer one. */
    NewestWindow and(IpsWindowRecord version) {
        NewestWindow other = of(version);
        int order = other.end.compareTo(end);
        if (order != 0) {
            return order > 0 ? other : this;
        }
        return new NewestWindow(
                end, n + other.n, rewards + other.rewards, other.holdout.or(() -> holdout));
    }

    /** Mean reward of the decisions; empty without any. */
    public OptionalDouble reward() {
        return n == 0 ? OptionalDouble.empty() : OptionalDouble.of(rewards / n);
    }
}
