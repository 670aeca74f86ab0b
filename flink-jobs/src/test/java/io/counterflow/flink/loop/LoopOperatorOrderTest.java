package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.command;
import static io.counterflow.flink.loop.LoopEvents.deletion;
import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.WriterAppender;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.Test;

/** The journal of a loop: what it contains, in which order, and how it is read. */
final class LoopOperatorOrderTest {

    private static final LoopEvent ODD =
            example(
                    "home",
                    "odd",
                    1_500,
                    new Context.Vector(DenseVector.of(1, 2)),
                    Choice.of(0, 0.5),
                    0,
                    1.0);

    private static LoopHarness restored(OperatorSubtaskState state) throws Exception {
        return LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    private static LoopHarness replay() throws Exception {
        return LoopHarness.replay(LoopOperatorConfig.defaults(), new HashMapStateBackend(), null);
    }

    @Test
    void theJournalHasWhatTheLoopTookInTheOrderOfArrival() throws Exception {
        LoopEvent early = example("home", 1, 1_000);
        LoopEvent later = example("home", 2, 1_500);
        LoopEvent command = command("home", "c", 700, RolloutActionRecord.PAUSE, null, null);
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(List.of(later, ODD, early, command, command));
            harness.watermark(1_999);
            assertThat(harness.results().rules()).containsExactly("EXAMPLE", "DUPLICATE");
            List<LoopEvent> journal = harness.journal();
            assertThat(journal)
                    .extracting(LoopEvent::kind)
                    .containsExactly(
                            LoopEventKind.SPEC,
                            LoopEventKind.EXAMPLE,
                            LoopEventKind.EXAMPLE,
                            LoopEventKind.COMMAND,
                            LoopEventKind.TIME);
            assertThat(journal).extracting(LoopEvent::sequence).containsExactly(1L, 2L, 3L, 4L, 5L);
            LoopEvent first = journal.get(1);
            assertThat(first.raw().value()).isEqualTo(later.raw().value());
            assertThat(first.raw().partition()).isEqualTo(later.raw().partition());
            assertThat(first.raw().offset()).isEqualTo(later.raw().offset());
            assertThat(first.outcome()).isEqualTo(later.outcome());
            assertThat(first.timeMicros()).isEqualTo(later.timeMicros());
        }
    }

    @Test
    void sequenceNumbersContinueAfterARestart() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 10));
            harness.take(command("home", "c", 1_010, RolloutActionRecord.PAUSE, null, null));
            state = harness.snapshot();
        }
        try (LoopHarness harness = restored(state)) {
            harness.take(example("home", 10, 1_010));
            harness.take(command("home", "c", 1_010, RolloutActionRecord.PAUSE, null, null));
            assertThat(harness.journal()).extracting(LoopEvent::sequence).containsExactly(13L);
            assertThat(harness.results().rules()).containsExactly("DUPLICATE");
        }
    }

    /** Only if nothing else moves the time of a loop is its passing an entry. */
    @Test
    void theWatermarkEndsTheWindowsOfAQuietLoop() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(example("home", 0, 100));
            harness.take(example("home", 1, 1_100)); // ends the window before it
            assertThat(harness.results().windows()).hasSize(1);
            harness.watermark(1_998);
            assertThat(harness.results().windows()).hasSize(1);
            harness.watermark(1_999);
            assertThat(harness.results().windows()).hasSize(2);
            harness.watermark(90_000);
            assertThat(harness.results().windows()).hasSize(3);
            assertThat(harness.journal())
                    .filteredOn(it -> it.kind() == LoopEventKind.TIME)
                    .hasSize(2);
        }
    }

    @Test
    void eventsWaitForTheSpecOfTheirLoop() throws Exception {
        List<LoopEvent> before = examples("home", 0, 50);
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(before.subList(0, 30));
            state = harness.snapshot();
        }
        LoopResults waited;
        try (LoopHarness harness = restored(state)) {
            harness.take(before.subList(30, 50));
            assertThat(harness.journal()).isEmpty();
            harness.take(specEvent("home", 1, 0));
            harness.end();
            waited = harness.results();
            assertThat(harness.journal()).hasSizeGreaterThan(50);
        }
        assertThat(waited.deadLetters()).isEmpty();
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(before);
            harness.end();
            assertThat(waited).isEqualTo(harness.results());
        }
    }

    @Test
    void eventsOfAnUnknownLoopBecomeDeadLettersAndLeaveTheState() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(examples("nobody", 0, 3));
            harness.processingTime(Duration.ofSeconds(59));
            assertThat(harness.results().deadLetters()).isEmpty();
            state = harness.snapshot();
        }
        try (LoopHarness harness = restored(state)) {
            harness.processingTime(Duration.ofMinutes(3));
            assertThat(harness.results().rules())
                    .containsExactly("UNKNOWN_LOOP", "UNKNOWN_LOOP", "UNKNOWN_LOOP");
            assertThat(harness.count("rule", "UNKNOWN_LOOP", "refused")).isEqualTo(3);
            harness.snapshot();
            assertThat(harness.stateEntries()).isZero();
        }
    }

    @Test
    void eventsWithoutASpecHaveALimit() throws Exception {
        LoopOperatorConfig little =
                new LoopOperatorConfig(
                        1 << 20, 1 << 20, Duration.ofMinutes(1), 700, 1 << 20, 10, 512L << 20);
        try (LoopHarness harness = LoopHarness.open(little)) {
            harness.take(examples("nobody", 0, 20));
            assertThat(harness.results().deadLetters()).hasSizeBetween(17, 19);
        }
    }

    @Test
    void anEntryThatBrokersWouldRefuseIsNotTaken() throws Exception {
        LoopEvent large = example("home", 1, 1_000);
        LoopEvent padded =
                new LoopEvent(
                        LoopEventKind.EXAMPLE,
                        "home",
                        large.timeMicros(),
                        "large",
                        0,
                        large.outcome(),
                        new RawRecord("t", 0, 0, 0, null, new byte[1_000_000]));
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(padded);
            harness.take(large);
            assertThat(harness.results().rules()).containsExactly("TOO_LARGE");
            assertThat(harness.journal()).hasSize(2);
        }
    }

    @Test
    void aDeletedLoopLeavesNothingAndCanStartAgain() throws Exception {
        List<LoopEvent> journal = new ArrayList<>();
        LoopResults live;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 100));
            harness.snapshot();
            harness.take(examples("home", 100, 120));
            harness.take(deletion("home", 1_200));
            harness.take(deletion("nobody", 1_200));
            harness.snapshot();
            assertThat(harness.stateEntries()).isZero();
            assertThat(harness.tombstones(Topic.ROLLOUTS)).containsExactly("home", "home@spec");
            assertThat(harness.tombstones(Topic.IPS_STATS)).containsExactly("home");
            assertThat(harness.tombstones(Topic.POLICY_SNAPSHOTS))
                    .containsExactly("home", "home@0", "home@1", "home@2", "home@3");
            harness.end();
            harness.take(specEvent("home", 1, 5_000));
            harness.take(examples("home", 200, 300));
            harness.end();
            journal.addAll(harness.journal());
            live = harness.results();
        }
        assertThat(live.kinds()).filteredOn("STARTED"::equals).hasSize(2);
        assertThat(journal.get(121).kind()).isEqualTo(LoopEventKind.DELETION);
        assertThat(journal.get(121).sequence()).isEqualTo(122);
        assertThat(journal.get(122).sequence()).isEqualTo(1);
        try (LoopHarness harness = replay()) {
            harness.take(journal);
            assertThat(harness.results()).isEqualTo(live);
        }
    }

    /** Also those that it would have forgotten later, and none twice. */
    @Test
    void aDeletionDeletesEveryVersionThatIsStillPublished() throws Exception {
        try (LoopHarness harness = LoopHarness.open(LoopOperatorLawTest.FEW_VERSIONS)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 400));
            List<String> forgotten = harness.tombstones(Topic.POLICY_SNAPSHOTS);
            assertThat(forgotten).startsWith("home@0", "home@1").hasSizeGreaterThan(5);
            harness.take(deletion("home", 2_000));
            List<String> all = new ArrayList<>(harness.tombstones(Topic.POLICY_SNAPSHOTS));
            assertThat(all).doesNotHaveDuplicates().contains("home");
            for (PolicySnapshotRecord published : harness.results().snapshots()) {
                assertThat(all).contains("home@" + published.getVersion());
            }
        }
    }

    @Test
    void rolloutsSayWhenTheirLoopStarted() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 50));
            OperatorSubtaskState state = harness.snapshot();
            try (LoopHarness after = restored(state)) {
                after.take(examples("home", 50, 100));
                after.take(deletion("home", 1_200));
                after.take(specEvent("home", 1, 5_000));
                assertThat(harness.results().rollouts())
                        .extracting(RolloutRecord::getLoopStartedAt)
                        .containsOnly(Feedback.START);
                assertThat(after.results().rollouts())
                        .extracting(RolloutRecord::getLoopStartedAt)
                        .containsExactly(Feedback.START, Feedback.START.plusMillis(5_000));
            }
        }
    }

    /** The rules for records let no time before 1970 through, so a loop does not expect one. */
    private static LoopEvent before1970(LoopEvent event, long seconds) {
        return new LoopEvent(
                event.kind(),
                event.loop(),
                -1_000_000L * seconds,
                event.id(),
                event.sequence(),
                event.outcome(),
                event.raw());
    }

    /** Messages of failures may quote features. */
    @Test
    void theLogShowsWhereALoopFailedButNoMessage() throws Exception {
        StringWriter logged = new StringWriter();
        Logger logger = (Logger) LogManager.getLogger(LoopOperator.class);
        Level level = logger.getLevel();
        Appender appender =
                WriterAppender.createAppender(
                        PatternLayout.newBuilder().setPattern("%m%n%throwable").build(),
                        null,
                        logged,
                        "logged",
                        false,
                        true);
        appender.start();
        logger.addAppender(appender);
        logger.setLevel(Level.ERROR);
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(before1970(specEvent("odd", 1, 0), 9));
            harness.take(before1970(example("odd", 0, 0), 8)); // fails
        } finally {
            logger.removeAppender(appender);
            logger.setLevel(level);
        }
        assertThat(logged.toString())
                .contains("loop odd failed and is quarantined")
                .contains("java.lang.IllegalArgumentException\n\tat io.counterflow.")
                .doesNotContain("IllegalArgumentException:");
    }

    @Test
    void aLoopThatFailsIsQuarantinedAndTheOthersContinue() throws Exception {
        List<LoopEvent> journal = new ArrayList<>();
        LoopResults live;
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(before1970(specEvent("odd", 1, 0), 9));
            harness.take(before1970(example("odd", 0, 0), 8)); // fails
            harness.take(examples("odd", 1, 4));
            harness.take(examples("home", 0, 50));
            live = harness.results();
            journal.addAll(harness.journal());
            state = harness.snapshot();
        }
        assertThat(live.of("home").snapshots()).hasSize(1);
        assertThat(live.of("odd").kinds()).containsExactly("STARTED", "QUARANTINED");
        assertThat(live.of("odd").rollouts().get(1).getReason())
                .isEqualTo("failed on entry 2 (EXAMPLE): IllegalArgumentException");
        assertThat(live.rules()).containsExactly("QUARANTINED", "QUARANTINED", "QUARANTINED");
        assertThat(journal).filteredOn(it -> it.loop().equals("odd")).hasSize(2);
        try (LoopHarness harness = replay()) {
            harness.take(journal);
            assertThat(harness.results().of("odd")).isEqualTo(live.of("odd"));
            assertThat(harness.results().of("home")).isEqualTo(live.of("home"));
        }
        try (LoopHarness harness = restored(state)) {
            harness.take(example("odd", 5, 2_000));
            assertThat(harness.results().rules()).containsExactly("QUARANTINED");
            harness.take(deletion("odd", 3_000));
            harness.take(specEvent("odd", 1, 4_000));
            harness.take(example("odd", 6, 5_000));
            assertThat(harness.results().kinds()).containsExactly("STARTED");
            assertThat(harness.journal())
                    .extracting(LoopEvent::sequence)
                    .as("the deletion, and a new loop")
                    .containsExactly(3L, 1L, 2L);
        }
    }

    @Test
    void aReplayLeavesOutALoopWhoseFirstEntriesHaveExpired() throws Exception {
        List<LoopEvent> journal;
        LoopResults live;
        try (LoopHarness harness = LoopHarness.open()) {
            for (String loop : List.of("old", "home")) {
                harness.take(specEvent(loop, 1, 0));
                harness.take(examples(loop, 0, 50));
            }
            harness.take(deletion("old", 2_000));
            LoopResults ofFirst = harness.results();
            harness.take(specEvent("old", 1, 3_000));
            harness.take(examples("old", 50, 100));
            journal = harness.journal();
            live = harness.results();
            assertThat(ofFirst.of("old").snapshots()).hasSize(1);
        }
        List<LoopEvent> kept = journal.subList(10, journal.size());
        OperatorSubtaskState state;
        LoopResults replayed;
        try (LoopHarness harness = replay()) {
            harness.take(kept.subList(0, 20));
            state = harness.snapshot();
            replayed = harness.results();
            assertThat(replayed.rules()).containsExactly("EXPIRED_JOURNAL");
            assertThat(replayed.deadLetters().get(0).getReason())
                    .contains("leaves out loop old: its journal starts with entry 11");
        }
        try (LoopHarness harness =
                LoopHarness.replay(
                        LoopOperatorConfig.defaults(), new HashMapStateBackend(), state)) {
            harness.take(kept.subList(20, kept.size()));
            replayed = replayed.and(harness.results());
        }
        assertThat(replayed.of("home")).isEqualTo(live.of("home"));
        assertThat(replayed.of("old").snapshots())
                .as("the loop that was created again")
                .isEqualTo(live.of("old").snapshots().subList(1, 2));
        assertThat(replayed.of("old").rollouts().get(0).getKind().name()).isEqualTo("STARTED");
        assertThat(replayed.deadLetters())
                .as("one, and another one after the restart")
                .extracting(DeadLetterRecord::getRule)
                .containsExactly("EXPIRED_JOURNAL", "EXPIRED_JOURNAL");
    }

    @Test
    void aHoleInTheJournalStopsAReplay() throws Exception {
        List<LoopEvent> journal;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 10));
            journal = harness.journal();
        }
        try (LoopHarness harness = replay()) {
            harness.take(journal.subList(0, 5));
            assertThatThrownBy(() -> harness.take(journal.get(6)))
                    .isInstanceOf(SuppressRestartsException.class)
                    .rootCause()
                    .hasMessageContaining("journal of loop home must continue with entry 6, got 7");
            assertThatThrownBy(() -> harness.take(journal.get(4)))
                    .isInstanceOf(SuppressRestartsException.class)
                    .rootCause()
                    .hasMessageContaining("got 5");
        }
    }
}
