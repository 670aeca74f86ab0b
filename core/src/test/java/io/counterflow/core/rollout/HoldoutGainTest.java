package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class HoldoutGainTest {

    private static final double SHARE = 0.1;
    private static final LoopSpec SPEC =
            LoopSpec.builder("loop")
                    .vectors(1, "a", "b")
                    .set(LoopSettings.HOLDOUT_SHARE, SHARE)
                    .set(LoopSettings.DELTA, 0.2)
                    .at(3, Instant.EPOCH)
                    .build();

    private static void add(HoldoutGain gain, long specVersion, boolean holdout, double reward) {
        gain.add(
                new LoggedExample(DenseVector.of(1.0f), 0, 0.5, reward, 0),
                new DecisionOrigin(
                        specVersion,
                        PropensityKind.EXACT,
                        Optional.empty(),
                        holdout,
                        1_000,
                        OptionalDouble.empty()),
                5_000);
    }

    private static HoldoutEstimate estimate(HoldoutGain gain) {
        return gain.estimate().orElseThrow();
    }

    @Test
    void theGainIsTheDifferenceOfTheMeanRewards() {
        HoldoutGain gain = HoldoutGain.start(SPEC);
        add(gain, 3, true, 0.0);
        assertThat(gain.estimate()).as("only the holdout has examples").isEmpty();
        add(gain, 3, true, 0.5);
        add(gain, 3, false, 1.0);
        HoldoutEstimate estimate = estimate(gain);
        assertThat(estimate.value()).isEqualTo(0.75);
        assertThat(estimate.holdout().n()).isEqualTo(2);
        assertThat(estimate.rest().n()).isEqualTo(1);
        assertThat(estimate.baselineVersion()).isZero();
        assertThat(estimate.sinceMs()).isEqualTo(5_000);
        assertThat(estimate.gain().contains(0.75)).isTrue();
    }

    /** The policy outside the holdout becomes better, while all rewards become rarer. */
    @Test
    void theIntervalsContainTheTruthAtEveryMomentInAllButAShareDeltaOfTheRuns() {
        int runs = 200;
        int failures = 0;
        double width = 0.0;
        for (int run = 0; run < runs; run++) {
            EventRandom random = EventRandom.named("run " + run);
            HoldoutGain gain = HoldoutGain.start(SPEC);
            double[] truth = new double[2];
            long[] n = new long[2];
            boolean failed = false;
            for (int i = 0; i < 4_000; i++) {
                boolean holdout = HoldoutShare.contains("loop", run + "/" + i, SHARE);
                double world = 1.0 - i / 8_000.0;
                double value = world * (holdout ? 0.1 : 0.1 + 0.3 * Math.min(1.0, i / 1_000.0));
                add(gain, 3, holdout, random.nextDouble() < value ? 1.0 : 0.0);
                truth[holdout ? 0 : 1] += value;
                n[holdout ? 0 : 1]++;
                if (i % 50 == 49 && n[0] > 0) {
                    failed |= !covers(estimate(gain), truth[0] / n[0], truth[1] / n[1]);
                }
            }
            failures += failed ? 1 : 0;
            width += estimate(gain).gain().width() / runs;
            assertThat(estimate(gain).gain().lower()).as("run %d", run).isPositive();
        }
        assertThat(failures).isLessThanOrEqualTo((int) (0.2 * runs));
        assertThat(width).isLessThan(0.3);
    }

    private static boolean covers(HoldoutEstimate estimate, double holdout, double rest) {
        return estimate.holdout().interval().contains(holdout)
                && estimate.rest().interval().contains(rest)
                && estimate.gain().contains(rest - holdout);
    }

    @Test
    void decisionsUnderASpecWithAnotherHoldoutDoNotCount() {
        HoldoutGain gain = HoldoutGain.start(SPEC);
        add(gain, 2, false, 1.0);
        add(gain, 0, false, 1.0); // not known
        add(gain, 4, false, 1.0); // a spec that waits
        add(gain, 3, false, 0.0);
        add(gain, 3, true, 0.0);
        assertThat(estimate(gain).rest().n()).isEqualTo(1);
        assertThat(estimate(gain).value()).isZero();
    }

    @Test
    void theMeasurementGoesOnWhenTheSpecChangesOtherSettings() {
        HoldoutGain gain = both(HoldoutGain.start(SPEC), 3);
        LoopSpec next = later(SPEC.with(LoopSettings.LEARNING_RATE, 0.123));
        HoldoutGain changed = both(gain.changedTo(next), 4);
        assertThat(estimate(changed).rest().n()).isEqualTo(2);
    }

    @Test
    void theMeasurementStartsAgainWhenTheShareTheVersionOrTheRuleChanges() {
        for (LoopSpec next :
                new LoopSpec[] {
                    SPEC.with(LoopSettings.HOLDOUT_SHARE, 0.2),
                    SPEC.with(LoopSettings.HOLDOUT_VERSION, OptionalLong.of(7)),
                    SPEC.with(LoopSettings.EXPLORATION_FLOOR, 0.25),
                    SPEC.with(LoopSettings.DEFAULT_REWARD, 0.5)
                }) {
            HoldoutGain changed = both(HoldoutGain.start(SPEC), 3).changedTo(later(next));
            assertThat(changed.estimate()).isEmpty();
            both(changed, 3);
            assertThat(changed.estimate()).as("decided before the change").isEmpty();
            both(changed, 4);
            assertThat(estimate(changed).holdout().n()).isEqualTo(1);
        }
    }

    @Test
    void withoutAHoldoutNothingIsMeasuredOrStored() {
        HoldoutGain gain = both(HoldoutGain.start(SPEC.with(LoopSettings.HOLDOUT_SHARE, 0.0)), 3);
        assertThat(gain.estimate()).isEmpty();
        assertThat(gain.state()).isEmpty();
    }

    @Test
    void aRestoredMeasurementContinuesWithTheSameBits() {
        HoldoutGain gain = HoldoutGain.start(SPEC);
        HoldoutGain restored = gain;
        EventRandom random = EventRandom.named("restored");
        for (int i = 0; i < 300; i++) {
            boolean holdout = random.nextDouble() < SHARE;
            double reward = random.nextDouble();
            add(gain, 3, holdout, reward);
            restored =
                    HoldoutGain.restore(
                            SPEC, restored == gain ? Optional.empty() : restored.state());
            add(restored, 3, holdout, reward);
        }
        assertThat(restored.state()).isEqualTo(gain.state());
        assertThat(restored.estimate()).isEqualTo(gain.estimate());
        assertThat(estimate(gain).holdout().mean()).isCloseTo(0.5, within(0.3));
    }

    private static HoldoutGain both(HoldoutGain gain, long specVersion) {
        add(gain, specVersion, true, 0.0);
        add(gain, specVersion, false, 1.0);
        return gain;
    }

    private static LoopSpec later(LoopSpec spec) {
        return spec.toBuilder().at(4, Instant.EPOCH).build();
    }
}
