package io.counterflow.flink.loop;

import io.counterflow.core.rollout.HoldoutEstimate;
import io.counterflow.core.rollout.HoldoutGain;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.MeanRewardRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Converts the measured gain over the baseline version to records. */
final class HoldoutRecords {

    private HoldoutRecords() {}

    /** Null without a holdout, or before both groups have an example. */
    static @Nullable HoldoutRecord of(HoldoutGain gain) {
        return gain.estimate().map(estimate -> of(estimate, gain.share())).orElse(null);
    }

    private static HoldoutRecord of(HoldoutEstimate estimate, double share) {
        return new HoldoutRecord(
                estimate.baselineVersion(),
                share,
                Instant.ofEpochMilli(estimate.sinceMs()),
                of(estimate.holdout()),
                of(estimate.rest()),
                estimate.value(),
                estimate.gain().lower(),
                estimate.gain().upper());
    }

    private static MeanRewardRecord of(HoldoutEstimate.Group group) {
        return new MeanRewardRecord(
                group.n(), group.mean(), group.interval().lower(), group.interval().upper());
    }
}
