package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.cli.demo.DemoHistory.Generation;
import io.counterflow.cli.traffic.NewsWorld;
import io.counterflow.cli.traffic.RewardPlan;
import io.counterflow.cli.traffic.World;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.RolloutStageRecord;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class DemoHistoryTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final World world = new NewsWorld(1);
    private final DemoHistory history = new DemoHistory(world);

    static RolloutRecord change(
            long sequence, RolloutKindRecord kind, long active, @Nullable Double bound) {
        RolloutRecord record = new RolloutRecord();
        record.setLoop("front-page");
        record.setSequence(sequence);
        record.setTime(START);
        record.setKind(kind);
        record.setStage(RolloutStageRecord.FULL);
        record.setActiveVersion(active);
        record.setRegisteredVersions(List.of());
        record.setMode(RolloutModeRecord.GATED);
        record.setCandidateLowerBound(bound);
        record.setReason("because");
        record.setLoopStartedAt(START);
        return record;
    }

    private void window(long version, int seconds, long n, double mean) {
        IpsWindowRecord record = new IpsWindowRecord();
        record.setLoop(world.loop());
        record.setPolicyVersion(version);
        record.setWindowStart(START.plusSeconds(seconds));
        record.setWindowEnd(START.plusSeconds(seconds + 5L));
        record.setN(n);
        record.setOnPolicyMean(mean);
        record.setEstimates(List.of());
        history.add(record);
    }

    private void publish(long version) {
        history.add(
                PolicySnapshot.of(
                        world.loop(),
                        version,
                        world.spec().startingModel(),
                        world.spec().encoder()));
        history.updateTrueValues();
    }

    private void promote(long sequence, long version) {
        history.add(change(sequence, RolloutKindRecord.PROMOTED, version, 0.3));
        history.updateTrueValues();
    }

    private List<Generation> generations() {
        return history.learning().generations();
    }

    private Set<Long> versionsWithTrueValue() {
        return history.of(world.loop()).orElseThrow().versions().keySet();
    }

    @Test
    void theStartingPolicyIsTheFirstGeneration() {
        assertThat(generations()).extracting(Generation::version).containsExactly(1L);
        assertThat(generations().get(0).meanReward()).isNull();
        assertThat(generations().get(0).trueValue()).isPositive();
        assertThat(history.learning().recent()).isNull();
    }

    @Test
    void onlyVersionsThatDecideAreGenerations() {
        history.add(change(2, RolloutKindRecord.CANDIDATE, 1, null));
        history.add(change(3, RolloutKindRecord.PROMOTED, 4, 0.3));
        history.add(change(4, RolloutKindRecord.CANDIDATE, 4, 0.1));
        assertThat(generations()).extracting(Generation::version).containsExactly(1L, 4L);
        assertThat(generations().get(1).lowerBound()).isEqualTo(0.3);
        assertThat(history.learning().lastChange()).isEqualTo("because");
    }

    /** After a restart the same records are read again. */
    @Test
    void aChangeThatIsReadTwiceIsOneGeneration() {
        promote(3, 4);
        promote(3, 4);
        assertThat(generations()).hasSize(2);
    }

    @Test
    void theMeanRewardOfAVersionIsOverAllItsWindows() {
        window(1, 0, 100, 0.2);
        window(1, 5, 300, 0.4);
        Generation first = generations().get(0);
        assertThat(first.examples()).isEqualTo(400);
        assertThat(first.meanReward()).isCloseTo(0.35, within(1e-12));
        assertThat(history.learning().overTime()).containsExactly(0.2, 0.4);
    }

    @Test
    void theRecentRewardIsOfAllDecisionsOfTheLastMinute() {
        window(1, 0, 1_000, 0.2);
        promote(3, 4);
        window(1, 50, 100, 0.3);
        window(4, 50, 300, 0.5);
        assertThat(history.learning().recent())
                .isCloseTo((200.0 + 30.0 + 150.0) / 1_400.0, within(1e-12));
        window(4, 60, 100, 0.6);
        assertThat(history.learning().recent())
                .isCloseTo((30.0 + 150.0 + 60.0) / 500.0, within(1e-12));
    }

    @Test
    void theRewardOverTimeIsOfAllVersionsOfAWindow() {
        window(1, 0, 100, 0.2);
        window(4, 0, 300, 0.4);
        window(4, 5, 100, 0.5);
        List<Double> overTime = history.learning().overTime();
        assertThat(overTime).hasSize(2);
        assertThat(overTime.get(0)).isCloseTo(0.35, within(1e-12));
        assertThat(overTime.get(1)).isCloseTo(0.5, within(1e-12));
    }

    @Test
    void aTrueValueIsComputedWhenAVersionDecides() {
        publish(2);
        publish(3);
        assertThat(versionsWithTrueValue()).containsExactly(1L);
        promote(1, 3);
        assertThat(versionsWithTrueValue()).containsExactlyInAnyOrder(1L, 3L);
        double starting =
                RewardPlan.COUNTED
                        * world.valueOf(world.spec().policyOf(world.spec().startingModel()));
        assertThat(generations().get(1).trueValue()).isEqualTo(starting);
        window(2, 5, 10, 0.5); // a canary decides too
        history.updateTrueValues();
        assertThat(versionsWithTrueValue()).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(history.learning().snapshots()).isEqualTo(2);
        assertThat(history.learning().newestVersion()).isEqualTo(3);
    }

    /** After a restart rollouts are read before snapshots. */
    @Test
    void aTrueValueIsComputedWhenTheSnapshotArrivesAfterItsPromotion() {
        promote(1, 3);
        publish(2);
        publish(3);
        assertThat(versionsWithTrueValue()).containsExactlyInAnyOrder(1L, 3L);
    }

    @Test
    void theCandidateIsKeptHoweverManyVersionsFollow() {
        publish(2);
        publish(3);
        RolloutRecord evaluated = change(1, RolloutKindRecord.CANDIDATE, 1, null);
        evaluated.setCandidateVersion(3L);
        history.add(evaluated);
        for (int i = 0; i <= DemoHistory.MAX_WAITING; i++) {
            publish(4 + i);
        }
        promote(2, 3);
        promote(3, 2);
        assertThat(versionsWithTrueValue())
                .as("the model of version 2 was dropped")
                .containsExactlyInAnyOrder(1L, 3L);
    }

    @Test
    void otherLoopsHaveNoTrueValues() {
        assertThat(history.of("other")).isEmpty();
    }
}
