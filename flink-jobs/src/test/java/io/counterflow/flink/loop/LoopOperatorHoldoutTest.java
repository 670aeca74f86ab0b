package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;

/** The job measures the gain over the baseline version and publishes it with the windows. */
final class LoopOperatorHoldoutTest {

    private static final String LOOP = "home";

    private static void takeExamples(LoopHarness harness, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            harness.take(example(LOOP, i, 10L + i, i % 4 == 0));
        }
    }

    private static IpsWindowRecord lastWindow(LoopHarness harness) {
        List<IpsWindowRecord> windows = harness.results().of(LOOP).windows();
        return windows.get(windows.size() - 1);
    }

    private static RolloutRecord lastChange(LoopHarness harness) {
        List<RolloutRecord> rollouts = harness.results().of(LOOP).rollouts();
        return rollouts.get(rollouts.size() - 1);
    }

    @Test
    void windowsHaveTheGainSinceTheHoldoutStartedAlsoAfterARestart() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent(LOOP, 1, 0, it -> it.setHoldoutShare(0.25)));
            takeExamples(harness, 0, 20);
            state = harness.snapshot();
        }
        try (LoopHarness harness =
                LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state)) {
            takeExamples(harness, 20, 36);
            harness.watermark(1_000);
            HoldoutRecord holdout = lastWindow(harness).getHoldout();
            assertThat(holdout.getVersion()).isZero();
            assertThat(holdout.getShare()).isEqualTo(0.25);
            assertThat(holdout.getHoldout().getN()).isEqualTo(9);
            assertThat(holdout.getRest().getN()).isEqualTo(27);
            assertThat(holdout.getGain())
                    .isCloseTo(
                            holdout.getRest().getMean() - holdout.getHoldout().getMean(),
                            within(1e-12))
                    .isBetween(holdout.getGainLower(), holdout.getGainUpper());
            IpsWindowRecord window = lastWindow(harness);
            assertThat(window.getN()).as("decisions").isEqualTo(36);
            assertThat(window.getAudited()).isEqualTo(36);
            assertThat(window.getAuditMismatches()).isZero();
            assertThat(window.getEstimates())
                    .as("estimates are without the holdout")
                    .isNotEmpty()
                    .allSatisfy(it -> assertThat(it.getN()).isEqualTo(27));
        }
    }

    @Test
    void windowsOfALoopWithoutAHoldoutHaveNoGain() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent(LOOP, 1, 0));
            takeExamples(harness, 0, 20);
            harness.watermark(1_000);
            assertThat(lastWindow(harness).getHoldout()).isNull();
        }
    }

    @Test
    void aBaselineThatIsNotStoredIsRefused() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent(LOOP, 1, 0, it -> it.setHoldoutVersion(3L)));
            assertThat(harness.results().of(LOOP).rollouts()).isEmpty();
            harness.take(specEvent(LOOP, 2, 1));
            harness.take(specEvent(LOOP, 3, 2, it -> it.setHoldoutVersion(3L)));
            assertThat(lastChange(harness).getKind()).isEqualTo(RolloutKindRecord.SPEC_REFUSED);
            assertThat(lastChange(harness).getReason())
                    .contains("holdoutVersion must be a stored version, got 3");
            harness.take(specEvent(LOOP, 4, 3, it -> it.setHoldoutVersion(0L)));
            assertThat(lastChange(harness).getKind()).isEqualTo(RolloutKindRecord.SPEC_CHANGED);
        }
    }
}
