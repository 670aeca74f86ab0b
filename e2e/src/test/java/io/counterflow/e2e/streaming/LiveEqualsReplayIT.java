package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.job.CounterflowJob;
import io.counterflow.flink.job.FeedbackStreams;
import io.counterflow.flink.job.FlinkSettings;
import io.counterflow.flink.job.JobSinks;
import io.counterflow.flink.job.KafkaStreams;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same journal gives the same bytes: at any parallelism, whatever the order of arrival was, and
 * after any failure.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LiveEqualsReplayIT {

    private static final RecordedTraffic TRAFFIC = new RecordedTraffic();

    @TempDir private static Path directory;

    private static SharedKafka kafka;
    private static EmbeddedFlink flink;
    private static StreamResults reference;
    private static StreamRun referenceRun;

    @BeforeAll
    static void learnOnceWithoutParallelism(SharedKafka sharedKafka, EmbeddedFlink sharedFlink)
            throws Exception {
        kafka = sharedKafka;
        flink = sharedFlink;
        referenceRun = run("reference", 1);
        referenceRun.start();
        long sent = 0;
        for (List<RecordedTraffic.Sent> part : TRAFFIC.partsAtCommands()) {
            // The loops have learned from most decisions before the next command.
            referenceRun.awaitExamples(sent - 100);
            referenceRun.send(part);
            referenceRun.heartbeat(part.get(part.size() - 1).time());
            sent += part.stream().filter(it -> it.topic() == Topic.IMPRESSIONS).count();
        }
        referenceRun.heartbeat(RecordedTraffic.end());
        reference = referenceRun.finish();
    }

    private static StreamRun run(String name, int parallelism) {
        return new StreamRun(flink, kafka, directory, name, parallelism, "loop.kept-versions: 2\n");
    }

    /** Every decision is in the journal once, and a replay gives the results of the run. */
    private static void assertReplayed(StreamRun run, StreamResults live, int parallelism)
            throws Exception {
        JournalLog journal = run.journal();
        journal.assertGapless();
        assertThat(journal.rewards()).isEqualTo(referenceRun.journal().rewards());
        assertThat(run.counted())
                .isEqualTo(
                        new StreamRun.Counted(
                                RecordedTraffic.DECISIONS,
                                run.read(Topic.LATE).size(),
                                run.read(Topic.DEAD_LETTERS).size()));
        assertThat(live.versions()).hasSizeGreaterThan(20);
        assertThat(live.versions().values()).allSatisfy(it -> assertThat(it).hasSize(1));
        assertSame(live, run.replay(parallelism));
    }

    private static void assertSame(StreamResults live, StreamResults replayed) {
        assertThat(replayed.snapshots()).isEqualTo(live.snapshots());
        assertThat(replayed.rollouts()).isEqualTo(live.rollouts());
        assertThat(replayed.windows()).isEqualTo(live.windows());
    }

    @Test
    void everyVersionIsPublishedOnceAndPoliciesArePromoted() {
        assertThat(reference.versions()).hasSizeGreaterThan(20);
        assertThat(reference.versions().values()).allSatisfy(it -> assertThat(it).hasSize(1));
        assertThat(reference.count("PROMOTED")).isGreaterThan(6);
        assertThat(reference.count("ROLLED_BACK")).isEqualTo(1);
        assertThat(reference.count("PAUSED")).isEqualTo(1);
        assertThat(reference.forgotten()).hasSizeGreaterThan(6);
        assertThat(reference.windows()).hasSize(RecordedTraffic.LOOPS.size());
        referenceRun.journal().assertGapless();
        assertThat(referenceRun.journal().rewards()).hasSize(RecordedTraffic.DECISIONS);
        assertThat(referenceRun.read(Topic.DEAD_LETTERS)).isEmpty();
        assertThat(referenceRun.read(Topic.LATE)).as("rewards after their window").isNotEmpty();
    }

    @Test
    void aReplayAtTwoGivesTheResultsOfFourSubtasksAndShuffledRecords() throws Exception {
        try (StreamRun run = run("four", 4)) {
            run.start();
            run.send(TRAFFIC.outOfOrder(4));
            run.heartbeat(RecordedTraffic.end());
            assertReplayed(run, run.finish(), 2);
        }
    }

    @Test
    void aReplayAtFourGivesTheResultsOfABacklogWithBrokenRecords() throws Exception {
        try (StreamRun run = run("broken", 2)) {
            List<RecordedTraffic.Sent> records = TRAFFIC.inOrder();
            run.send(records.subList(0, 800));
            Topic[] topics = {
                Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS
            };
            for (int i = 0; i < 10; i++) {
                byte[] broken = ("broken " + i).getBytes(StandardCharsets.UTF_8);
                run.send(topics[i % topics.length], "articles", broken);
            }
            run.send(records.subList(800, records.size()));
            run.heartbeat(RecordedTraffic.end());
            run.start();
            assertReplayed(run, run.finish(), 4);
            assertThat(run.read(Topic.DEAD_LETTERS)).hasSize(10);
        }
    }

    @Test
    void aTaskThatFailsBetweenCheckpointsChangesNothing() throws Exception {
        try (StreamRun run = run("failing", 2)) {
            FailingOnce.REMAINING.set(700);
            StreamExecutionEnvironment env = run.environment();
            buildWithAFailure(run.config(), env);
            run.start(env);
            List<RecordedTraffic.Sent> records = TRAFFIC.inOrder();
            run.send(records.subList(0, 600));
            run.awaitExamples(100);
            run.send(records.subList(600, records.size()));
            run.heartbeat(RecordedTraffic.end());
            assertReplayed(run, run.finish(), 1);
            assertThat(FailingOnce.FAILURES.get()).isEqualTo(1);
        }
    }

    private static void buildWithAFailure(JobConfig config, StreamExecutionEnvironment env) {
        env.configure(FlinkSettings.of(config, RunMode.LIVE));
        FeedbackStreams in = new KafkaStreams(env, config).feedback();
        DataStream<Ingested<FeedbackEvent>> failing =
                in.impressions()
                        .map(new FailingOnce())
                        .returns(in.impressions().getType())
                        .uid("failing");
        CounterflowJob.live(
                new FeedbackStreams(failing, in.rewards(), in.loops(), in.commands()),
                config,
                JobSinks.of(config, RunMode.LIVE));
    }

    /** Throws once, after a number of records. */
    private static final class FailingOnce
            implements MapFunction<Ingested<FeedbackEvent>, Ingested<FeedbackEvent>> {

        static final AtomicInteger REMAINING = new AtomicInteger();
        static final AtomicInteger FAILURES = new AtomicInteger();

        private static final long serialVersionUID = 1L;

        @Override
        public Ingested<FeedbackEvent> map(Ingested<FeedbackEvent> record) {
            if (REMAINING.decrementAndGet() == 0) {
                FAILURES.incrementAndGet();
                throw new IllegalStateException("a failure that the test asked for");
            }
            return record;
        }
    }

    @Test
    void aJobContinuesFromASavepointAtAnotherParallelism() throws Exception {
        try (StreamRun run = run("rescaled", 2)) {
            run.start();
            List<RecordedTraffic.Sent> records = TRAFFIC.inOrder();
            run.send(records.subList(0, 1_200));
            run.awaitThat("snapshots", () -> run.results().versions().size() > 5);
            run.rescale(4);
            int before = run.results().versions().size();
            run.send(records.subList(1_200, 1_800));
            run.awaitThat("snapshots", () -> run.results().versions().size() > before + 2);
            run.rescale(1);
            run.send(records.subList(1_800, records.size()));
            run.heartbeat(RecordedTraffic.end());
            assertReplayed(run, run.finish(), 2);
        }
    }

    @Test
    void aReplayOfTheReferenceGivesTheSameResults() throws Exception {
        assertReplayed(referenceRun, reference, 2);
    }
}
