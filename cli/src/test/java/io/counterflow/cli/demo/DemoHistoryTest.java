package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.RolloutStageRecord;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class DemoHistoryTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final DemoHistory history = new DemoHistory("page", 0.6, 0.1, 1, 0.2);

    static RolloutRecord change(
            long sequence, RolloutKindRecord kind, long active, @Nullable Double bound) {
        RolloutRecord record = new RolloutRecord();
        record.setLoop("page");
        record.setSequence(sequence);
        record.setTime(START);
        record.setKind(kind);
        record.setStage(RolloutStageRecord.FULL);
        record.setActiveVersion(active);
        record.setMode(RolloutModeRecord.GATED);
        record.setCandidateLowerBound(bound);
        record.setReason("because");
        return record;
    }

    private void window(long version, int seconds, long n, double mean) {
        IpsWindowRecord record = new IpsWindowRecord();
        record.setLoop("page");
        record.setPolicyVersion(version);
        record.setWindowStart(START.plusSeconds(seconds));
        record.setWindowEnd(START.plusSeconds(seconds + 5L));
        record.setN(n);
        record.setOnPolicyMean(mean);
        record.setEstimates(List.of());
        history.window(record);
    }

    @Test
    void aLoopHasTheGenerationThatItStartsWith() {
        assertThat(history.generations()).hasSize(1);
        assertThat(history.generations().get(0).version()).isEqualTo(1);
        assertThat(history.recentReward()).isNaN();
    }

    @Test
    void onlyVersionsThatDecideAreGenerations() {
        history.rollout(change(2, RolloutKindRecord.CANDIDATE, 1, null));
        history.rollout(change(3, RolloutKindRecord.PROMOTED, 4, 0.3));
        history.rollout(change(4, RolloutKindRecord.CANDIDATE, 4, 0.1));
        assertThat(history.generations()).extracting(Generation::version).containsExactly(1L, 4L);
        assertThat(history.generations().get(1).lowerBound()).hasValue(0.3);
    }

    /** As after a start, when the same records are read again. */
    @Test
    void aChangeThatIsReadTwiceIsOneGeneration() {
        history.rollout(change(3, RolloutKindRecord.PROMOTED, 4, 0.3));
        history.rollout(change(3, RolloutKindRecord.PROMOTED, 4, 0.3));
        assertThat(history.generations()).hasSize(2);
    }

    @Test
    void theMeanRewardOfAVersionIsOverAllItsWindows() {
        window(1, 0, 100, 0.2);
        window(1, 5, 300, 0.4);
        Generation first = history.generations().get(0);
        assertThat(first.examples()).isEqualTo(400);
        assertThat(first.meanReward()).isCloseTo(0.35, within(1e-12));
    }

    @Test
    void theRewardOfNowIsThatOfTheNewestVersionWithEnoughExamplesOverTheLastMinute() {
        window(1, 0, 1_000, 0.2);
        history.rollout(change(3, RolloutKindRecord.PROMOTED, 4, 0.3));
        window(4, 5, 199, 0.9);
        assertThat(history.recentReward()).isCloseTo(0.2, within(1e-12));
        window(4, 100, 100, 0.5);
        assertThat(history.recentReward()).isCloseTo(0.5, within(1e-12));
    }

    @Test
    void onlyVersionsThatDecidedWaitForTheirTrueValue() {
        history.frozen(2);
        history.frozen(3);
        history.frozen(4);
        assertThat(history.unvalued()).isEmpty();
        history.rollout(change(3, RolloutKindRecord.PROMOTED, 3, 0.3));
        window(4, 5, 10, 0.5); // as a canary does
        assertThat(history.unvalued()).containsExactlyInAnyOrder(3L, 4L);
        history.value(3, 0.4);
        assertThat(history.unvalued()).containsExactly(4L);
        assertThat(history.of("page").orElseThrow().versions()).containsOnlyKeys(1L, 3L);
        assertThat(history.snapshots()).isEqualTo(3);
    }

    @Test
    void theTruthIsToldOfThisLoopOnly() {
        history.value(2, 0.25);
        assertThat(history.of("page").orElseThrow().versions())
                .containsEntry(1L, 0.2)
                .containsEntry(2L, 0.25);
        assertThat(history.of("other")).isEmpty();
    }
}
