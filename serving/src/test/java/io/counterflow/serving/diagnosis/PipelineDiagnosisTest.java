package io.counterflow.serving.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.spec.RolloutMode;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PipelineDiagnosisTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final JobState RUNS =
            new JobState(
                    true,
                    Optional.of(Duration.ofSeconds(3)),
                    Optional.of(Duration.ofSeconds(10)),
                    500,
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(5));

    private static FlowCount count(long recent, long secondsAgo) {
        return count(recent, secondsAgo, 3_600);
    }

    private static FlowCount count(long recent, long secondsAgo, long sinceSeconds) {
        return new FlowCount(
                recent,
                recent / 300.0,
                Optional.of(NOW.minusSeconds(secondsAgo)),
                Optional.of(NOW.minusSeconds(sinceSeconds)));
    }

    private static PipelineFacts facts(
            Map<Flow, FlowCount> counts,
            JobState job,
            PipelineFacts.Learning learning,
            PipelineFacts.Served served) {
        return new PipelineFacts(
                NOW,
                true,
                counts,
                UnusedRecords.none(),
                UnusedRecords.none(),
                UnusedRecords.none(),
                job,
                learning,
                served);
    }

    private static UnusedRecords unused(long count, String rule) {
        return new UnusedRecords(
                count(count, 5), List.of(new ReasonCount(rule, count, "what was wrong")));
    }

    private static PipelineFacts with(
            PipelineFacts facts,
            UnusedRecords late,
            UnusedRecords deadLetters,
            UnusedRecords ofNoLoop) {
        return new PipelineFacts(
                facts.now(),
                facts.counted(),
                facts.counts(),
                late,
                deadLetters,
                ofNoLoop,
                facts.job(),
                facts.learning(),
                facts.rollout());
    }

    private static PipelineFacts withLate(PipelineFacts facts, UnusedRecords late) {
        return with(facts, late, facts.deadLetters(), facts.ofNoLoop());
    }

    private static PipelineFacts withDeadLetters(PipelineFacts facts, UnusedRecords letters) {
        return with(facts, facts.late(), letters, facts.ofNoLoop());
    }

    private static PipelineFacts.Learning learning(OptionalLong since, OptionalLong newest) {
        return new PipelineFacts.Learning(
                Duration.ofSeconds(30),
                1_000,
                Duration.ZERO,
                since,
                newest,
                newest.orElse(0),
                false);
    }

    private static PipelineFacts.Served served(
            RolloutMode mode,
            boolean paused,
            OptionalLong candidate,
            Optional<String> degradedReason) {
        return new PipelineFacts.Served(
                true, mode, paused, 3, candidate, 0.0, degradedReason, Optional.empty());
    }

    /** A loop that learns as it should. */
    private static PipelineFacts healthy() {
        return facts(
                Map.of(
                        Flow.DECISIONS, count(3_000, 0),
                        Flow.REWARDS, count(900, 1),
                        Flow.EXAMPLES, count(2_900, 5)),
                RUNS,
                learning(OptionalLong.of(412), OptionalLong.of(4)),
                served(RolloutMode.GATED, false, OptionalLong.of(4), Optional.empty()));
    }

    private static PipelineFacts with(PipelineFacts facts, Flow flow, FlowCount count) {
        Map<Flow, FlowCount> changed = new EnumMap<>(facts.counts());
        changed.put(flow, count);
        return new PipelineFacts(
                facts.now(),
                facts.counted(),
                changed,
                facts.late(),
                facts.deadLetters(),
                facts.ofNoLoop(),
                facts.job(),
                facts.learning(),
                facts.rollout());
    }

    private static PipelineFacts with(PipelineFacts facts, JobState job) {
        return facts(facts.counts(), job, facts.learning(), facts.rollout());
    }

    private static PipelineFacts with(PipelineFacts facts, PipelineFacts.Learning learning) {
        return facts(facts.counts(), facts.job(), learning, facts.rollout());
    }

    private static PipelineFacts with(PipelineFacts facts, PipelineFacts.Served served) {
        return facts(facts.counts(), facts.job(), facts.learning(), served);
    }

    private static PipelineStage stage(PipelineFacts facts, PipelineStage.Name name) {
        return PipelineDiagnosis.of(facts).stages().stream()
                .filter(it -> it.name() == name)
                .findAny()
                .orElseThrow();
    }

    private static void assertStage(
            PipelineFacts facts, PipelineStage.Name name, StageState state, String words) {
        PipelineStage stage = stage(facts, name);
        assertThat(stage.state()).as(stage.reason()).isEqualTo(state);
        assertThat(stage.reason()).contains(words);
    }

    @Test
    void everyStageIsNamedOnceInOrder() {
        for (PipelineFacts facts :
                new PipelineFacts[] {healthy(), with(healthy(), silentKafka())}) {
            assertThat(PipelineDiagnosis.of(facts).stages())
                    .extracting(PipelineStage::name)
                    .containsExactly(PipelineStage.Name.values());
        }
    }

    private static JobState silentKafka() {
        return new JobState(
                true,
                Optional.of(Duration.ofSeconds(40)),
                Optional.of(Duration.ofSeconds(10)),
                0,
                Duration.ofSeconds(40),
                Duration.ofMinutes(5));
    }

    @Test
    void aLoopThatLearnsIsSaidToLearn() {
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(healthy());
        assertThat(diagnosis.state()).isEqualTo(StageState.OK);
        assertThat(diagnosis.headline())
                .startsWith("Version 3 decides")
                .contains("Version 4 is compared");
        assertThat(diagnosis.stages()).allMatch(it -> it.state() == StageState.OK);
        assertStage(healthy(), PipelineStage.Name.LEARNED, StageState.OK, "412 of 1,000 examples");
        assertStage(healthy(), PipelineStage.Name.SNAPSHOT, StageState.OK, "Version 4 is compared");
    }

    @Test
    void withoutTrafficTheLoopWaitsForIt() {
        PipelineFacts quiet =
                facts(
                        Map.of(),
                        RUNS,
                        learning(OptionalLong.empty(), OptionalLong.empty()),
                        healthy().rollout());
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(quiet);
        assertThat(diagnosis.state()).isEqualTo(StageState.WAITING);
        assertThat(diagnosis.headline()).contains("calls rank");
        assertStage(quiet, PipelineStage.Name.JOINED, StageState.WAITING, "Waits for decisions");
        assertStage(quiet, PipelineStage.Name.LEARNED, StageState.WAITING, "Waits for examples");
        assertStage(quiet, PipelineStage.Name.SNAPSHOT, StageState.WAITING, "No snapshot yet");
    }

    @Test
    void decisionsOfOtherProcessesCountByTheirExamples() {
        PipelineFacts elsewhere =
                with(
                        with(healthy(), Flow.DECISIONS, FlowCount.none()),
                        Flow.REWARDS,
                        FlowCount.none());
        assertStage(elsewhere, PipelineStage.Name.DECISIONS, StageState.OK, "decisions of others");
        assertStage(elsewhere, PipelineStage.Name.REWARDS, StageState.OK, "rewards of others");
        assertStage(elsewhere, PipelineStage.Name.JOINED, StageState.OK, "leave the join");
        assertThat(PipelineDiagnosis.of(elsewhere).state()).isEqualTo(StageState.OK);
    }

    @Test
    void decisionsThatAreNotLoggedAreAWarning() {
        assertStage(
                with(healthy(), Flow.UNLOGGED, count(30, 1)),
                PipelineStage.Name.DECISIONS,
                StageState.OK,
                "decides and logs");
        assertStage(
                with(healthy(), Flow.UNLOGGED, count(31, 1)),
                PipelineStage.Name.DECISIONS,
                StageState.WARNING,
                "31 of 3,031 decisions of this process were not logged");
    }

    @Test
    void missingRewardsAreAWarning() {
        PipelineFacts unrewarded = with(healthy(), Flow.REWARDS, FlowCount.none());
        assertStage(unrewarded, PipelineStage.Name.REWARDS, StageState.WARNING, "default reward");
        assertThat(PipelineDiagnosis.of(unrewarded).state()).isEqualTo(StageState.WARNING);
    }

    @Test
    void fewDecisionsOrYoungOnesMayHaveNoRewardYet() {
        PipelineFacts unrewarded = with(healthy(), Flow.REWARDS, FlowCount.none());
        assertStage(
                with(unrewarded, Flow.DECISIONS, count(99, 0)),
                PipelineStage.Name.REWARDS,
                StageState.WAITING,
                "No reward yet for 99 recent decisions");
        assertStage(
                with(unrewarded, Flow.DECISIONS, count(100, 0)),
                PipelineStage.Name.REWARDS,
                StageState.WARNING,
                "no rewards");
        assertStage(
                with(unrewarded, Flow.DECISIONS, count(3_000, 0, 29)),
                PipelineStage.Name.REWARDS,
                StageState.WAITING,
                "No reward yet for 3,000");
    }

    @Test
    void rewardsThatAnotherProcessSendsAreNotMissing() {
        assertStage(
                with(
                        with(healthy(), Flow.REWARDS, FlowCount.none()),
                        Flow.ARRIVED_REWARDS,
                        count(900, 10)),
                PipelineStage.Name.REWARDS,
                StageState.OK,
                "rewards of others reach the job");
    }

    /** No process of ours has decided, and the first decisions still wait for their rewards. */
    private static PipelineFacts ofAnotherProducer() {
        return facts(
                Map.of(
                        Flow.ARRIVED_DECISIONS, count(3_000, 20, 60),
                        Flow.ARRIVED_REWARDS, count(200, 20, 60)),
                RUNS,
                learning(OptionalLong.empty(), OptionalLong.empty()),
                healthy().rollout());
    }

    @Test
    void decisionsOfAnotherProducerAreSeenBeforeTheyAreJoined() {
        PipelineFacts young = ofAnotherProducer();
        assertStage(young, PipelineStage.Name.DECISIONS, StageState.OK, "decisions of others");
        assertStage(young, PipelineStage.Name.REWARDS, StageState.OK, "rewards of others");
        assertStage(
                young, PipelineStage.Name.JOINED, StageState.WAITING, "waits 30 s for its rewards");
        assertThat(PipelineDiagnosis.of(young).headline()).contains("waits 30 s for its rewards");
        PipelineFacts joined = with(young, Flow.EXAMPLES, count(2_000, 100));
        assertStage(
                joined,
                PipelineStage.Name.JOINED,
                StageState.WAITING,
                "All decisions have been joined");
        PipelineFacts unrewarded = with(young, Flow.ARRIVED_REWARDS, FlowCount.none());
        assertStage(unrewarded, PipelineStage.Name.REWARDS, StageState.WARNING, "no rewards");
    }

    @Test
    void decisionsOfAnotherProducerThatNeverLeaveTheJoinAreAStall() {
        PipelineFacts stuck =
                with(ofAnotherProducer(), Flow.ARRIVED_DECISIONS, count(3_000, 20, 141));
        assertStage(
                stuck, PipelineStage.Name.JOINED, StageState.STALLED, "Event time may not advance");
        assertStage(
                with(ofAnotherProducer(), Flow.ARRIVED_DECISIONS, count(3_000, 20, 139)),
                PipelineStage.Name.JOINED,
                StageState.WAITING,
                "waits 30 s");
    }

    @Test
    void aJobThatNeverCameStallsTheJoin() {
        JobState never =
                new JobState(
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5));
        PipelineFacts facts = with(with(healthy(), Flow.EXAMPLES, FlowCount.none()), never);
        assertStage(facts, PipelineStage.Name.JOINED, StageState.STALLED, "Is it running?");
        assertThat(PipelineDiagnosis.of(facts).headline()).contains("counterflow job");
        assertStage(
                with(healthy(), never), PipelineStage.Name.JOINED, StageState.WARNING, "job.name");
    }

    @Test
    void aJobThatStartsWithThisProcessIsNotMissingYet() {
        JobState starting =
                new JobState(
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(30));
        assertStage(
                with(healthy(), starting),
                PipelineStage.Name.JOINED,
                StageState.WAITING,
                "first checkpoint");
    }

    @Test
    void aJobThatStandsStillForMuchLongerThanUsualStallsTheJoin() {
        JobState still =
                new JobState(
                        true,
                        Optional.of(Duration.ofSeconds(31)),
                        Optional.of(Duration.ofSeconds(10)),
                        500,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5));
        assertStage(
                with(healthy(), still),
                PipelineStage.Name.JOINED,
                StageState.STALLED,
                "has not moved for 31 s");
        JobState slow =
                new JobState(
                        true,
                        Optional.of(Duration.ofSeconds(31)),
                        Optional.of(Duration.ofSeconds(20)),
                        500,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5));
        assertStage(
                with(healthy(), slow), PipelineStage.Name.JOINED, StageState.OK, "leave the join");
    }

    @Test
    void trafficThatHasJustBegunWaitsForTheAttributionWindow() {
        PipelineFacts young =
                with(
                        with(healthy(), Flow.EXAMPLES, FlowCount.none()),
                        Flow.DECISIONS,
                        count(200, 0, 20));
        assertStage(
                young, PipelineStage.Name.JOINED, StageState.WAITING, "waits 30 s for its rewards");
        PipelineFacts again = with(young, Flow.EXAMPLES, count(10, 250));
        assertStage(
                again, PipelineStage.Name.JOINED, StageState.WAITING, "waits 30 s for its rewards");
    }

    @Test
    void trafficThatHasEndedIsJoinedToItsEnd() {
        PipelineFacts ended =
                with(
                        with(healthy(), Flow.DECISIONS, count(200, 200)),
                        Flow.EXAMPLES,
                        count(200, 160));
        assertStage(
                ended,
                PipelineStage.Name.JOINED,
                StageState.WAITING,
                "All decisions have been joined");
        PipelineFacts cut = with(ended, Flow.EXAMPLES, count(100, 230));
        assertStage(
                cut, PipelineStage.Name.JOINED, StageState.STALLED, "no example has left the join");
    }

    @Test
    void trafficWithoutExamplesIsStalledThoughTheJobRuns() {
        PipelineFacts stuck = with(healthy(), Flow.EXAMPLES, FlowCount.none());
        assertStage(
                stuck, PipelineStage.Name.JOINED, StageState.STALLED, "Event time may not advance");
        PipelineFacts refused = withDeadLetters(stuck, unused(3_000, "EXAMPLE"));
        assertStage(refused, PipelineStage.Name.JOINED, StageState.STALLED, "dead letters");
    }

    @Test
    void beforeWhatTheJobWritesIsCountedNothingIsSaidOfIt() {
        PipelineFacts whole =
                with(
                        with(healthy(), Flow.EXAMPLES, FlowCount.none()),
                        unused(30, "ORPHANED"),
                        unused(30, "EXAMPLE"),
                        unused(30, "MALFORMED"));
        PipelineFacts begun =
                new PipelineFacts(
                        NOW,
                        false,
                        whole.counts(),
                        whole.late(),
                        whole.deadLetters(),
                        whole.ofNoLoop(),
                        RUNS,
                        whole.learning(),
                        whole.rollout());
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(begun);
        assertThat(diagnosis.state()).isEqualTo(StageState.WAITING);
        assertThat(diagnosis.headline()).contains("have not been read yet");
        for (PipelineStage.Name name :
                new PipelineStage.Name[] {
                    PipelineStage.Name.JOINED,
                    PipelineStage.Name.LEARNED,
                    PipelineStage.Name.LATE,
                    PipelineStage.Name.DEAD_LETTERS
                }) {
            assertStage(begun, name, StageState.WAITING, "have not been read yet");
        }
        assertThat(PipelineDiagnosis.of(whole).state()).isEqualTo(StageState.STALLED);
    }

    @Test
    void aJobFarBehindCatchesUp() {
        JobState behind =
                new JobState(
                        true,
                        Optional.of(Duration.ofSeconds(3)),
                        Optional.of(Duration.ofSeconds(10)),
                        1_234_567,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5));
        PipelineFacts facts = with(with(healthy(), Flow.EXAMPLES, FlowCount.none()), behind);
        assertStage(
                facts, PipelineStage.Name.JOINED, StageState.WAITING, "1,234,567 records behind");
    }

    @Test
    void beforeTheFirstSnapshotTheLoopWaitsForExamples() {
        PipelineFacts first = with(healthy(), learning(OptionalLong.of(12), OptionalLong.empty()));
        assertStage(
                first,
                PipelineStage.Name.LEARNED,
                StageState.WAITING,
                "12 of 1,000 examples for the next snapshot");
        assertThat(PipelineDiagnosis.of(first).headline()).startsWith("12 of 1,000");
    }

    @Test
    void aFrozenVersionWithoutItsSnapshotIsAStall() {
        PipelineFacts.Learning known = healthy().learning();
        PipelineFacts missing =
                with(
                        healthy(),
                        new PipelineFacts.Learning(
                                known.attributionWindow(),
                                known.snapshotExamples(),
                                known.snapshotInterval(),
                                known.sinceSnapshot(),
                                known.newestVersion(),
                                5,
                                false));
        assertStage(
                missing,
                PipelineStage.Name.LEARNED,
                StageState.STALLED,
                "The job has frozen version 5, but its snapshot has not reached this process");
    }

    /** After a pause, after a change of the spec, or because a candidate is given time. */
    @ParameterizedTest
    @EnumSource(RolloutMode.class)
    void moreExamplesThanASnapshotNeedsAreNoStall(RolloutMode mode) {
        PipelineFacts waiting =
                with(
                        with(healthy(), learning(OptionalLong.of(900_000), OptionalLong.of(4))),
                        served(mode, false, OptionalLong.empty(), Optional.empty()));
        assertStage(
                waiting,
                PipelineStage.Name.LEARNED,
                StageState.OK,
                "900,000 examples since the newest snapshot");
        assertThat(PipelineDiagnosis.of(waiting).state()).isEqualTo(StageState.OK);
    }

    @Test
    void aStartingPolicyThatIsKeptIsNoStall() {
        PipelineFacts.Learning overdue = learning(OptionalLong.of(9_000), OptionalLong.of(4));
        PipelineFacts kept =
                with(
                        healthy(),
                        new PipelineFacts.Learning(
                                overdue.attributionWindow(),
                                overdue.snapshotExamples(),
                                overdue.snapshotInterval(),
                                overdue.sinceSnapshot(),
                                overdue.newestVersion(),
                                overdue.frozenVersion(),
                                true));
        assertStage(kept, PipelineStage.Name.LEARNED, StageState.OK, "The starting policy decides");
    }

    @Test
    void aQuarantinedLoopIsTheHeadlineThoughNoExamplesArrive() {
        PipelineFacts quarantined =
                with(
                        withDeadLetters(
                                with(healthy(), Flow.EXAMPLES, FlowCount.none()),
                                unused(2_900, "QUARANTINED")),
                        new PipelineFacts.Served(
                                true,
                                RolloutMode.GATED,
                                false,
                                3,
                                OptionalLong.of(4),
                                0.0,
                                Optional.empty(),
                                Optional.of("failed on entry 17 (EXAMPLE): ArithmeticException")));
        assertStage(
                quarantined,
                PipelineStage.Name.LEARNED,
                StageState.STALLED,
                "it failed on entry 17 (EXAMPLE): ArithmeticException");
        assertStage(quarantined, PipelineStage.Name.JOINED, StageState.WAITING, "quarantined");
        assertStage(quarantined, PipelineStage.Name.SERVED, StageState.OK, "Version 3 decides");
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(quarantined);
        assertThat(diagnosis.state()).isEqualTo(StageState.STALLED);
        assertThat(diagnosis.headline()).contains("quarantined", "version 3 continues to decide");
    }

    @Test
    void whoACandidateWaitsForIsSaid() {
        assertStage(
                with(
                        healthy(),
                        served(RolloutMode.MANUAL, false, OptionalLong.of(4), Optional.empty())),
                PipelineStage.Name.SNAPSHOT,
                StageState.WAITING,
                "waits for a person");
        assertStage(
                with(
                        healthy(),
                        served(RolloutMode.GATED, true, OptionalLong.of(4), Optional.empty())),
                PipelineStage.Name.SNAPSHOT,
                StageState.WAITING,
                "paused");
        assertStage(
                with(
                        healthy(),
                        served(
                                RolloutMode.IMMEDIATE,
                                false,
                                OptionalLong.empty(),
                                Optional.empty())),
                PipelineStage.Name.SNAPSHOT,
                StageState.OK,
                "Version 4 is the newest");
    }

    @Test
    void aDegradedLoopIsReportedAsAStallWithItsReason() {
        PipelineFacts degraded =
                with(
                        healthy(),
                        served(
                                RolloutMode.GATED,
                                false,
                                OptionalLong.empty(),
                                Optional.of("version 4 has not been loaded")));
        assertStage(
                degraded,
                PipelineStage.Name.SERVED,
                StageState.STALLED,
                "version 4 has not been loaded");
    }

    @Test
    void fewLateRewardsAreNothingAndManyAreAWarning() {
        PipelineFacts rewarded = with(healthy(), Flow.ARRIVED_REWARDS, count(1_000, 5));
        assertStage(
                withLate(rewarded, unused(50, "ORPHANED")),
                PipelineStage.Name.LATE,
                StageState.OK,
                "Few records are late");
        assertStage(
                withLate(rewarded, unused(51, "ORPHANED")),
                PipelineStage.Name.LATE,
                StageState.WARNING,
                "51 records were not joined. Clocks differ");
        assertStage(rewarded, PipelineStage.Name.LATE, StageState.OK, "No records are late");
    }

    /** The demo on images: 2 % of the rewards come too late, and 85 % of the decisions have one. */
    @Test
    void theShareOfLateRewardsDoesNotDependOnHowManyDecisionsHaveOne() {
        PipelineFacts trained = with(healthy(), Flow.ARRIVED_REWARDS, count(2_465, 5));
        PipelineFacts late = withLate(trained, unused(50, "REWARD_AFTER_WINDOW"));
        assertStage(late, PipelineStage.Name.LATE, StageState.OK, "Few records are late");
        assertThat(PipelineDiagnosis.of(late).state()).isEqualTo(StageState.OK);
        PipelineFacts rare = with(healthy(), Flow.ARRIVED_REWARDS, count(15, 5));
        assertStage(
                withLate(rare, unused(15, "REWARD_AFTER_WINDOW")),
                PipelineStage.Name.LATE,
                StageState.WARNING,
                "15 records were not joined");
    }

    @Test
    void lateDecisionsAreComparedWithExamples() {
        PipelineFacts rewarded = with(healthy(), Flow.ARRIVED_REWARDS, count(100_000, 5));
        assertStage(
                withLate(rewarded, unused(29, "CONFLICTING_IMPRESSION")),
                PipelineStage.Name.LATE,
                StageState.OK,
                "Few records are late");
        assertStage(
                withLate(rewarded, unused(30, "CONFLICTING_IMPRESSION")),
                PipelineStage.Name.LATE,
                StageState.WARNING,
                "Callers ask for the same event again");
    }

    @Test
    void aJobThatDoesNotCountRewardsIsMeasuredByItsExamples() {
        assertStage(
                withLate(healthy(), unused(29, "ORPHANED")),
                PipelineStage.Name.LATE,
                StageState.OK,
                "Few records are late");
        assertStage(
                withLate(healthy(), unused(30, "ORPHANED")),
                PipelineStage.Name.LATE,
                StageState.WARNING,
                "30 records were not joined. Clocks differ");
    }

    @Test
    void theMostFrequentReasonSaysWhatToDo() {
        UnusedRecords conflicts =
                new UnusedRecords(
                        count(62, 5),
                        List.of(
                                new ReasonCount("CONFLICTING_IMPRESSION", 40, "two decisions"),
                                new ReasonCount("ORPHANED", 20, "no impression"),
                                new ReasonCount("RETRACTED", 1, "no answer"),
                                new ReasonCount("NO_GUARDRAIL", 1, "none")));
        PipelineStage late = stage(withLate(healthy(), conflicts), PipelineStage.Name.LATE);
        assertThat(late.reason())
                .isEqualTo(
                        "62 records were not joined. Callers ask for the same event again with"
                                + " another request, or two processes use the same event ids."
                                + " 40 CONFLICTING_IMPRESSION, 20 ORPHANED, 1 RETRACTED, and 1 other"
                                + " reasons. The newest: two decisions.");
    }

    @Test
    void deadLettersOfTheLoopAreAWarningWithTheNewestOne() {
        assertStage(
                withDeadLetters(healthy(), unused(1, "TIME")),
                PipelineStage.Name.DEAD_LETTERS,
                StageState.WARNING,
                "1 TIME. The newest: what was wrong.");
    }

    @Test
    void manyDeadLettersOfNoKnownLoopAreAWarningToo() {
        PipelineFacts few =
                with(healthy(), UnusedRecords.none(), UnusedRecords.none(), unused(29, "EMPTY"));
        assertStage(few, PipelineStage.Name.DEAD_LETTERS, StageState.OK, "No or few");
        PipelineFacts many =
                with(healthy(), UnusedRecords.none(), UnusedRecords.none(), unused(30, "EMPTY"));
        assertStage(
                many,
                PipelineStage.Name.DEAD_LETTERS,
                StageState.WARNING,
                "30 records of no known loop could not be used. 30 EMPTY");
    }

    @Test
    void withoutKafkaEverythingWaitsButServing() {
        PipelineFacts away = with(healthy(), silentKafka());
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(away);
        assertThat(diagnosis.state()).isEqualTo(StageState.STALLED);
        assertThat(diagnosis.headline()).startsWith("Kafka has not answered for 40 s");
        assertStage(away, PipelineStage.Name.JOINED, StageState.WAITING, "Waits for Kafka");
        assertStage(away, PipelineStage.Name.SERVED, StageState.OK, "continues to decide");
    }
}
