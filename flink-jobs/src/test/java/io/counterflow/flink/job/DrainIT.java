package io.counterflow.flink.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.join.Buckets;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.join.RewardJoin;
import io.counterflow.flink.loop.LoopEvents;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * In a running cluster, a checkpoint barrier does not wait until all is closed that a watermark
 * closes, and a job that continues from this checkpoint closes the rest, once.
 */
@SuppressWarnings("deprecation") // the other kind of source needs four classes
final class DrainIT {

    private static final String HOST = "127.0.0.1";
    private static final int DECISIONS = 20_000;
    private static final int LOOPS = 2_000;
    private static final int MAX_PARALLELISM = 128;
    private static final Topics TOPICS = new Topics("test");

    /** Closes everything in these tests. */
    private static final long JUMP_MS = Feedback.at(60_000);

    /** What the running job does. There is one at a time, in this process. */
    private static volatile Run run = new Run(false);

    @TempDir private Path directory;
    private MiniCluster cluster;

    /** What comes out of a job. */
    private static final class Run {
        private final List<String> output = new ArrayList<>(); // of the task's thread
        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch fast;
        private final CountDownLatch drained = new CountDownLatch(1);
        private volatile List<String> beforeBarrier = List.of();

        /**
         * @param slow whether each record takes some time, until the checkpoint is complete
         */
        Run(boolean slow) {
            fast = new CountDownLatch(slow ? 1 : 0);
        }
    }

    @FunctionalInterface
    private interface SerializableFunction<A, B> extends Function<A, B>, Serializable {}

    /** Emits events and a watermark that closes everything, and then waits. */
    private static final class Jump<T> implements SourceFunction<T> {
        private static final long serialVersionUID = 1L;

        private final int count;
        private final SerializableFunction<Integer, T> events;
        private volatile boolean running = true;

        Jump(int count, SerializableFunction<Integer, T> events) {
            this.count = count;
            this.events = events;
        }

        @Override
        public void run(SourceContext<T> context) throws Exception {
            for (int i = 0; i < count && running; i++) {
                synchronized (context.getCheckpointLock()) {
                    context.collectWithTimestamp(events.apply(i), Feedback.at(0));
                }
            }
            synchronized (context.getCheckpointLock()) {
                context.emitWatermark(new Watermark(JUMP_MS));
            }
            while (running) {
                boolean unused = new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    /** Notes what comes out before and after a barrier. In the task of the operator before it. */
    private static final class Notes<T> extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<T, String> {
        private static final long serialVersionUID = 1L;

        private final SerializableFunction<T, String> identity;

        /**
         * @param identity empty for a record that is ignored
         */
        Notes(SerializableFunction<T, String> identity) {
            this.identity = identity;
        }

        @Override
        public void processElement(StreamRecord<T> element) throws Exception {
            String id = identity.apply(element.getValue());
            if (!id.isEmpty()) {
                run.output.add(id);
                run.first.countDown();
                boolean unused = run.fast.await(1, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void processWatermark(Watermark mark) {
            if (mark.getTimestamp() == JUMP_MS) {
                run.drained.countDown();
            }
        }

        @Override
        public void snapshotState(StateSnapshotContext context) {
            run.beforeBarrier = List.copyOf(run.output);
        }
    }

    @BeforeEach
    void startCluster() throws Exception {
        Configuration settings = new Configuration();
        settings.set(RestOptions.ADDRESS, HOST);
        settings.set(RestOptions.BIND_ADDRESS, HOST);
        settings.set(RestOptions.BIND_PORT, "0");
        settings.set(JobManagerOptions.BIND_HOST, HOST);
        settings.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(settings)
                                .setCommonBindAddress(HOST)
                                .setNumSlotsPerTaskManager(1)
                                .build());
        cluster.start();
    }

    @AfterEach
    void stopCluster() throws Exception {
        run.fast.countDown();
        cluster.closeAsync().get(1, TimeUnit.MINUTES);
    }

    /** Adds the operator under test to a stream that has so many of its events. */
    @FunctionalInterface
    private interface Graph {
        void build(StreamExecutionEnvironment env, int events);
    }

    private JobID start(Graph graph, int events, Configuration more) throws Exception {
        Configuration settings = new Configuration(more);
        settings.set(CoreOptions.DEFAULT_PARALLELISM, 1);
        settings.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
        settings.set(PipelineOptions.GENERIC_TYPES, false);
        settings.set(PipelineOptions.OBJECT_REUSE, true);
        settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofHours(1));
        settings.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(settings);
        graph.build(env, events);
        JobGraph job = env.getStreamGraph().getJobGraph();
        return cluster.submitJob(job).get(1, TimeUnit.MINUTES).getJobID();
    }

    private void cancel(JobID job) throws Exception {
        Object unused = cluster.cancelJob(job).get(1, TimeUnit.MINUTES);
        Object result = cluster.requestJobResult(job).get(1, TimeUnit.MINUTES);
        assertThat(result).isNotNull();
    }

    private void assertBarrierPasses(Graph graph, int events, int expected) throws Exception {
        run = new Run(true);
        JobID job = start(graph, events, new Configuration());
        assertThat(run.first.await(1, TimeUnit.MINUTES)).isTrue();
        String checkpoint = cluster.triggerCheckpoint(job).get(1, TimeUnit.MINUTES);
        assertThat(run.drained.getCount()).as("the watermark is not through").isOne();
        List<String> output = new ArrayList<>(run.beforeBarrier);
        assertThat(output.size()).isBetween(1, expected - 1);
        run.fast.countDown();
        cancel(job);

        run = new Run(false);
        Configuration restored = new Configuration();
        restored.set(StateRecoveryOptions.SAVEPOINT_PATH, checkpoint);
        JobID continued = start(graph, 0, restored);
        assertThat(run.drained.await(1, TimeUnit.MINUTES)).isTrue();
        cancel(continued);
        output.addAll(run.output);
        assertThat(output).hasSize(expected).doesNotHaveDuplicates();
    }

    @Test
    void aCheckpointDoesNotWaitForTheJoin() throws Exception {
        assertBarrierPasses(
                (env, events) -> {
                    Buckets buckets = new Buckets(MAX_PARALLELISM);
                    note(
                            env.addSource(
                                            new Jump<>(events, DrainIT::impression),
                                            "Impressions",
                                            TypeInformation.of(FeedbackEvent.class))
                                    .uid("source")
                                    .keyBy(buckets, Types.INT)
                                    .transform(
                                            "Join",
                                            TypeInformation.of(LoopEvent.class),
                                            new RewardJoin(JoinConfig.defaults(), buckets, TOPICS))
                                    .uid(RewardJoin.UID),
                            LoopEvent::id);
                },
                DECISIONS,
                DECISIONS);
    }

    private static FeedbackEvent impression(int number) {
        return Feedback.event(Feedback.impression("e" + number, number % 100));
    }

    @Test
    void aCheckpointDoesNotWaitForTheWindowsOfLoops() throws Exception {
        assertBarrierPasses(
                (env, events) ->
                        note(
                                env.addSource(
                                                new Jump<>(events, DrainIT::specOrExample),
                                                "Events",
                                                TypeInformation.of(LoopEvent.class))
                                        .uid("source")
                                        .keyBy(LoopEvent::loop, Types.STRING)
                                        .transform(
                                                "Learn",
                                                TypeInformation.of(OutgoingRecord.class),
                                                loops())
                                        .uid(LoopOperator.UID),
                                DrainIT::loopOfWindow),
                2 * LOOPS,
                LOOPS);
    }

    /** The spec of each loop and then an example, so that each has an open window. */
    private static LoopEvent specOrExample(int number) {
        String loop = "loop" + number % LOOPS;
        return number < LOOPS
                ? LoopEvents.specEvent(loop, 1, 0)
                : LoopEvents.example(loop, number, 100);
    }

    private LoopOperator loops() {
        return new LoopOperator(
                LoopOperatorConfig.defaults(),
                new IpsWindowsConfig(
                        new WindowConfig(Duration.ofSeconds(1), Duration.ofSeconds(1)), 2),
                new SinkConfig(
                        "test",
                        Duration.ofMinutes(10),
                        1_000_000,
                        500_000,
                        directory.resolve("snapshots").toUri().toString()),
                TOPICS,
                new NoGuard(),
                LoopOperator.Source.LIVE);
    }

    private static String loopOfWindow(OutgoingRecord record) {
        return record.topic().equals(TOPICS.name(Topic.IPS_STATS))
                ? new String(Objects.requireNonNull(record.key()), StandardCharsets.UTF_8)
                : "";
    }

    private static <T> void note(DataStream<T> results, SerializableFunction<T, String> identity) {
        Object unused = results.transform("Note", Types.STRING, new Notes<>(identity)).uid("notes");
    }

    /** Lets every start through. */
    private static final class NoGuard implements CheckpointGuard {
        private static final long serialVersionUID = 1L;

        @Override
        public void requireCommitted(Map<Integer, Long> restored) {
            // Nothing is written here.
        }

        @Override
        public void requireNothingCommitted() {
            // Nothing is written here.
        }
    }
}
