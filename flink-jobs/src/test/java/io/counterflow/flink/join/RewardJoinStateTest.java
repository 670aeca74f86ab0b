package io.counterflow.flink.join;

import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.reward;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.join.JoinHarness.Subtask;
import io.counterflow.schemas.record.ImpressionRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What the join keeps on the heap and in state. Windows last a second. */
final class RewardJoinStateTest {

    private static final StateBackend HEAP = new HashMapStateBackend();
    private static final Path STORED = Path.of("src/test/resources/state");

    /** More than are closed at once. */
    private static final int MANY = 5 * RewardJoin.PIECE;

    private static void takeMany(JoinHarness join) throws Exception {
        for (int i = 0; i < MANY; i++) {
            join.take(impression("e" + i, i / 10));
            if (i % 3 == 0) {
                join.take(reward("r", "e" + i, i / 10 + 5, 1.0));
            }
        }
    }

    private static List<String> ids(JoinHarness join) throws Exception {
        return join.examples().stream().map(it -> it.impression().getEventId()).toList();
    }

    /**
     * Otherwise the loops would follow the watermark of specs and commands, which is never behind.
     */
    @Test
    void timeStandsStillWhileAllFeedbackIsIdle() throws Exception {
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            join.watermark(500);
            join.idle();
            assertThat(join.hasForwardedIdleness()).isFalse();
        }
    }

    @Test
    void whatClosesBeforeTheNextCheckpointIsNotWritten() throws Exception {
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.watermark(2_000);
            join.snapshot();

            assertThat(join.examples()).hasSize(MANY);
            assertThat(join.storedBytes()).isZero();
            assertThat(join.waiting()).isZero();
        }
    }

    @Test
    void aCheckpointWritesWhatIsNewOnce() throws Exception {
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.snapshot();
            long once = join.storedBytes();
            assertThat(once).isPositive();
            join.snapshot();
            assertThat(join.storedBytes()).isEqualTo(once);
            join.take(reward("later", "e1", 20, 1.0));
            join.snapshot();
            assertThat(join.storedBytes()).isBetween(once + 1, once + 300);
            join.watermark(2_000);

            assertThat(join.examples()).hasSize(MANY);
            assertThat(join.readBytes()).as("it was on the heap").isZero();
            assertThat(join.waiting()).isZero();
        }
    }

    @Test
    void aSmallCacheLeavesImpressionsToTheStateAndChangesNoExample() throws Exception {
        List<JoinedExample> expected;
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.watermark(2_000);
            expected = join.examples();
        }
        try (JoinHarness join = JoinHarness.open(JoinHarness.SMALL, HEAP)) {
            takeMany(join);
            assertThat(join.heapBytes()).isLessThanOrEqualTo(1_000);
            assertThat(join.storedBytes()).isPositive();
            join.watermark(2_000);

            assertThat(join.examples()).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(join.readBytes()).isPositive();
            assertThat(join.waiting()).isZero();
        }
    }

    @Test
    void examplesComeInTheOrderOfTheirTimes() throws Exception {
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.watermark(2_000);
            assertThat(join.timestamps()).isSorted();
        }
    }

    @Test
    void aCheckpointIsTakenWhileAWatermarkIsStillClosingWindows() throws Exception {
        OperatorSubtaskState snapshot;
        List<String> before;
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.startWatermark(5_000);
            assertThat(join.closeMore()).isTrue();
            snapshot = join.snapshot();
            before = ids(join);
            assertThat(before).hasSize(2 * RewardJoin.PIECE);
            assertThat(join.watermarks()).as("not before everything is closed").isEmpty();

            join.take(reward("late", "e" + (MANY - 1), 20, 1.0));
            join.take(impression("e" + (MANY - 1), (MANY - 1) / 10));
            assertThat(join.lateReasons())
                    .containsExactly("ORPHANED", "IMPRESSION_AFTER_ITS_WINDOW");
            while (join.closeMore()) {
                assertThat(join.watermarks()).hasSizeLessThanOrEqualTo(1);
            }
            assertThat(join.examples()).hasSize(MANY);
            assertThat(join.watermarks()).containsExactly(5_000L);
        }
        try (JoinHarness join = JoinHarness.restore(HEAP, snapshot)) {
            for (int i = 0; i < MANY; i++) {
                join.take(impression("e" + i, i / 10)); // all are late, open or not
            }
            assertThat(join.lateReasons())
                    .hasSize(MANY)
                    .containsOnly("IMPRESSION_AFTER_ITS_WINDOW");
            join.watermark(2_000);
            List<String> all = new ArrayList<>(before);
            all.addAll(ids(join));

            assertThat(all).hasSize(MANY).doesNotHaveDuplicates();
            assertThat(join.waiting()).isZero();
        }
    }

    @Test
    void watermarksThatArriveMeanwhileAreClosedAsWell() throws Exception {
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.startWatermark(1_010);
            join.startWatermark(1_020);
            join.watermark(5_000);

            assertThat(join.examples()).hasSize(MANY);
            assertThat(join.watermarks()).containsExactly(5_000L);
        }
    }

    @Test
    void theEndOfTheInputClosesNoWindowAndIsNotRemembered() throws Exception {
        OperatorSubtaskState snapshot;
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeMany(join);
            join.startWatermark(1_009); // 100 of them, so some are left to the mailbox
            join.drain();
            assertThat(join.examples()).hasSize(100);
            assertThat(join.watermarks()).containsExactly(1_009L);
            snapshot = join.snapshot();
        }
        try (JoinHarness join = JoinHarness.restore(HEAP, snapshot)) {
            join.take(reward("r", "e" + (MANY - 1), 50, 1.0));
            join.take(impression("new", 100));
            join.watermark(2_000);

            assertThat(join.late()).isEmpty();
            assertThat(join.examples()).hasSize(MANY - 100 + 1);
        }
    }

    @Test
    void aConflictingCopyOfAnImpressionWithItsRewardIsReported() throws Exception {
        ImpressionRecord known = impression("e", 100);
        known.setReward(0.5);
        ImpressionRecord other = impression("e", 100);
        other.setReward(0.75);
        OperatorSubtaskState snapshot;
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            join.take(known);
            join.take(known);
            join.take(other);
            assertThat(join.count("duplicates")).isEqualTo(1);
            assertThat(join.lateReasons()).containsExactly("CONFLICTING_IMPRESSION");
            snapshot = join.snapshot();
        }
        try (JoinHarness join = JoinHarness.restore(HEAP, snapshot)) {
            join.take(known);
            join.take(other);
            join.watermark(100);

            assertThat(join.examples()).isEmpty();
            assertThat(join.count("duplicates")).isEqualTo(1);
            assertThat(join.lateReasons()).containsExactly("CONFLICTING_IMPRESSION");
            assertThat(join.waiting()).isZero();
        }
    }

    @Test
    void feedbackThatWasReportedDoesNotComeBackAfterARestart() throws Exception {
        OperatorSubtaskState snapshot;
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            join.take(reward("orphan", "e", 0, 1.0));
            join.take(reward("adopted", "f", 10, 1.0));
            join.snapshot(); // both are in state
            join.watermark(500);
            assertThat(join.lateReasons()).containsExactly("ORPHANED");
            join.take(impression("e", 300)); // would take the reward if it were still there
            join.take(impression("f", 300));
            snapshot = join.snapshot();
        }
        try (JoinHarness join = JoinHarness.restore(HEAP, snapshot)) {
            join.watermark(2_000);
            assertThat(join.examples())
                    .extracting(JoinedExample::reward)
                    .containsExactlyInAnyOrder(0.25, 1.0);
            assertThat(join.late()).isEmpty();
            assertThat(join.waiting()).isZero();
        }
    }

    @Test
    void aChangeOfParallelismKeepsEachDecisionAndTheWatermarkOfItsBucket() throws Exception {
        assertRescaled(HEAP);
    }

    /** From one subtask to two and back, with a watermark that closes a part of them each time. */
    static void assertRescaled(StateBackend backend) throws Exception {
        List<FeedbackEvent> events = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            events.add(Feedback.event(impression("e" + i, i)));
            if (i % 2 == 0) {
                events.add(Feedback.event(reward("r", "e" + i, i + 5, 1.0)));
            }
        }
        for (int i = 0; i < 20; i++) {
            events.add(Feedback.event(reward("r", "later" + i, 1_000 + i, 1.0)));
        }
        List<JoinedExample> examples = new ArrayList<>();
        OperatorSubtaskState one;
        try (JoinHarness join = JoinHarness.open(backend)) {
            for (FeedbackEvent event : events) {
                join.take(event);
            }
            join.watermark(1_049);
            examples.addAll(join.examples());
            one = join.snapshot();
        }
        assertThat(examples).hasSize(50);

        List<OperatorSubtaskState> two = new ArrayList<>();
        for (int index = 0; index < 2; index++) {
            Subtask half = new Subtask(index, 2);
            try (JoinHarness join = JoinHarness.restore(half, backend, Subtask.ONLY, one)) {
                takeCopies(join, half, events);
                // The subtasks have not come equally far when the checkpoint is taken.
                join.watermark(index == 0 ? 1_099 : 1_119);
                takeCopies(join, half, events);
                examples.addAll(join.examples());
                two.add(join.snapshot());
            }
        }
        assertThat(examples).hasSizeBetween(100, 120);

        OperatorSubtaskState both =
                KeyedOneInputStreamOperatorTestHarness.repackageState(
                        two.toArray(OperatorSubtaskState[]::new));
        try (JoinHarness join =
                JoinHarness.restore(Subtask.ONLY, backend, new Subtask(0, 2), both)) {
            takeCopies(join, Subtask.ONLY, events);
            for (int i = 0; i < 20; i++) {
                join.take(impression("later" + i, 1_000));
            }
            join.watermark(3_000);
            examples.addAll(join.examples());
            assertThat(join.waiting()).isZero();
        }

        assertThat(examples.stream().map(it -> it.impression().getEventId()))
                .hasSize(220)
                .doesNotHaveDuplicates();
        assertThat(examples).filteredOn(it -> it.reward() == 1.0).hasSize(120);
    }

    /** Copies change nothing: they are duplicates or late. */
    private static void takeCopies(JoinHarness join, Subtask subtask, List<FeedbackEvent> events)
            throws Exception {
        for (FeedbackEvent event : events) {
            if (subtask.takes(event)) {
                join.take(event);
            }
        }
    }

    @Test
    void stateOfTheFirstVersionGoesOn() throws Exception {
        OperatorSubtaskState state =
                OperatorSnapshotUtil.readStateHandle(STORED.resolve("reward-join-v1.state") + "");
        List<JoinedExample> expected = new ArrayList<>();
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeHalf(join);
            List<JoinedExample> before = join.examples();
            join.watermark(3_000);
            expected.addAll(join.examples().subList(before.size(), join.examples().size()));
        }
        assertThat(expected).isNotEmpty();
        try (JoinHarness join = JoinHarness.restore(HEAP, state)) {
            join.take(impression("e0", 0));
            assertThat(join.lateReasons()).containsExactly("IMPRESSION_AFTER_ITS_WINDOW");
            join.watermark(3_000);
            assertThat(join.examples()).isEqualTo(expected);
            assertThat(join.waiting()).isZero();
        }
    }

    private static void takeHalf(JoinHarness join) throws Exception {
        takeMany(join);
        ImpressionRecord known = impression("known", 1_500);
        known.setReward(0.5);
        join.take(known);
        join.take(reward("early", "unknown", 1_000, 1.0));
        join.watermark(1_010);
    }

    /** Writes the state of this version, under the name that is given. */
    @Test
    @EnabledIfSystemProperty(named = "counterflow.write-join-state", matches = ".+")
    void write() throws Exception {
        String name = Objects.requireNonNull(System.getProperty("counterflow.write-join-state"));
        try (JoinHarness join = JoinHarness.open(HEAP)) {
            takeHalf(join);
            OperatorSnapshotUtil.writeStateHandle(
                    join.snapshot(), STORED.resolve(name + ".state").toString());
        }
    }
}
