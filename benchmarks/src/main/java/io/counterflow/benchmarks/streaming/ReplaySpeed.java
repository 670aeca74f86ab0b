package io.counterflow.benchmarks.streaming;

import io.counterflow.benchmarks.process.BrokerProcess;
import io.counterflow.benchmarks.process.ProcessCpu;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.KafkaStreams;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Lets the live job write a journal, and replays it at a parallelism of one and of two. Each replay
 * fails twice on the way and continues from its checkpoints. Checks that replays write the bytes of
 * the live job. Prints a JSON object for each run, with the heap after garbage collections on the
 * way.
 */
public final class ReplaySpeed {

    /** What a replay must write like the live job. */
    private static final List<Topic> COMPARED =
            List.of(Topic.POLICY_SNAPSHOTS, Topic.ROLLOUTS, Topic.IPS_STATS);

    private static final int HEAP_SAMPLES = 8;
    private static final Duration LIMIT = Duration.ofHours(1);
    private static final String LIVE = "replayed";

    private final Deployment at;
    private final EmbeddedFlink flink;
    private final Traffic traffic;
    private final int examples;

    private ReplaySpeed(Deployment at, EmbeddedFlink flink, Traffic traffic, int examples) {
        this.at = at;
        this.flink = flink;
        this.traffic = traffic;
        this.examples = examples;
    }

    /** Arguments: the number of examples and the case. */
    public static void main(String[] args) throws Exception {
        int examples = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        Traffic traffic = Traffic.parse(args.length > 1 ? args[1] : "joined-dense-small-4");
        Path directory = Files.createTempDirectory("counterflow-benchmark");
        boolean same;
        try (BrokerProcess kafka = BrokerProcess.start(directory);
                EmbeddedFlink flink =
                        EmbeddedFlink.start(Deployment.PARALLELISM, JobCounters.settings())) {
            same =
                    new ReplaySpeed(
                                    new Deployment(kafka.bootstrapServers(), directory),
                                    flink,
                                    traffic,
                                    examples)
                            .run();
        }
        System.exit(same ? 0 : 1); // some threads of clients may still be running
    }

    private boolean run() throws Exception {
        Map<String, String> expected = live();
        boolean same = true;
        for (int parallelism = 1; parallelism <= Deployment.PARALLELISM; parallelism++) {
            Map<String, String> replayed = replay(parallelism);
            boolean equal = replayed.equals(expected);
            System.out.printf(
                    "{\"parallelism\":%d,\"sameBytes\":%b,\"keys\":%d}%n",
                    parallelism, equal, replayed.size());
            same &= equal;
        }
        return same;
    }

    private Map<String, String> live() throws Exception {
        JobConfig config =
                at.config(LIVE, LIVE, Deployment.PARALLELISM, Deployment.FREQUENT_CHECKPOINTS);
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        try (LoadProcess load = LoadProcess.start(config, traffic, examples)) {
            load.awaitWritten();
            StreamExecutionEnvironment env = flink.environment(new Configuration());
            setup.build(env);
            JobClient job = env.executeAsync(LIVE);
            SteadyState steady = SteadyState.of(examples, LIMIT, () -> {});
            System.out.printf(
                    Locale.ROOT,
                    "{\"run\":\"live\",\"case\":\"%s\",\"parallelism\":%d,\"examples\":%d,"
                            + "\"examplesPerSecond\":%.0f,\"cpuMicros\":%.1f}%n",
                    traffic.name(),
                    Deployment.PARALLELISM,
                    examples,
                    steady.perSecond(),
                    steady.cpuMicros());
            String unused = // commits everything
                    job.stopWithSavepoint(
                                    false,
                                    at.directory().resolve("savepoints").toUri().toString(),
                                    SavepointFormatType.NATIVE)
                            .get();
        }
        return digests(config, config.topics());
    }

    private Map<String, String> replay(int parallelism) throws Exception {
        String name = "replay-" + parallelism;
        JobConfig config =
                at.config(
                        LIVE,
                        name,
                        parallelism,
                        Deployment.FREQUENT_CHECKPOINTS
                                + "\nbatch.topic-prefix: %s\nrestart.initial-backoff: 100ms"
                                        .formatted(name));
        JobSetup setup = new JobSetup(config, RunMode.BATCH);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        setup.build(env);
        Failures.attach(env, examples);
        long startNs = System.nanoTime();
        double startCpu = ProcessCpu.seconds();
        JobClient job = env.executeAsync(name);
        List<Long> heap = new ArrayList<>();
        while (!job.getJobStatus().get().isGloballyTerminalState()) {
            if (Failures.READ.get() >= (heap.size() + 1L) * examples / HEAP_SAMPLES) {
                heap.add(heapAfterCollection());
            }
            Thread.sleep(50);
        }
        var unused = job.getJobExecutionResult().get(); // throws the reason of a failure
        double seconds = 1e-9 * (System.nanoTime() - startNs);
        double cpuSeconds = ProcessCpu.seconds() - startCpu;
        System.out.printf(
                Locale.ROOT,
                "{\"run\":\"replay\",\"case\":\"%s\",\"parallelism\":%d,\"examples\":%d,"
                        + "\"failures\":%d,\"examplesPerSecond\":%.0f,\"cpuMicros\":%.1f,"
                        + "\"heapMegabytes\":[%s]}%n",
                traffic.name(),
                parallelism,
                examples,
                Failures.THROWN.get(),
                examples / seconds,
                1e6 * cpuSeconds / examples,
                heap.stream().map(it -> Long.toString(it >> 20)).collect(Collectors.joining(",")));
        return digests(config, config.batchTopics());
    }

    private static long heapAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** A digest of all values of each key, in their order. */
    private static Map<String, String> digests(JobConfig config, Topics topics) {
        Map<String, MessageDigest> digests = new TreeMap<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            for (Topic topic : COMPARED) {
                reader.read(
                        topics.name(topic),
                        record ->
                                digests.computeIfAbsent(
                                                topic.suffix()
                                                        + "/"
                                                        + new String(
                                                                record.key(),
                                                                StandardCharsets.UTF_8),
                                                key -> sha256())
                                        .update(
                                                record.value() == null // a tombstone
                                                        ? new byte[] {0}
                                                        : record.value()));
            }
        }
        Map<String, String> hex = new TreeMap<>();
        digests.forEach((key, digest) -> hex.put(key, HexFormat.of().formatHex(digest.digest())));
        return hex;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Fails when a third and when two thirds of the journal have been read. */
    private static final class Failures<T> extends ProcessFunction<T, Void> {

        /** Entries read, counting those again that are read again. */
        static final AtomicLong READ = new AtomicLong();

        static final AtomicLong THROWN = new AtomicLong();

        private static final long serialVersionUID = 1L;

        private final long examples;

        private Failures(long examples) {
            this.examples = examples;
        }

        static void attach(StreamExecutionEnvironment env, long examples) {
            READ.set(0);
            THROWN.set(0);
            Transformation<?> source =
                    env.getTransformations().stream()
                            .flatMap(it -> it.getTransitivePredecessors().stream())
                            .filter(
                                    it ->
                                            (KafkaStreams.UID + "-" + Topic.JOURNAL.suffix())
                                                    .equals(it.getUid()))
                            .findFirst()
                            .orElseThrow();
            attach(new DataStream<>(env, source), examples);
        }

        private static <T> void attach(DataStream<T> entries, long examples) {
            entries.process(new Failures<T>(examples)).returns(Types.VOID).uid("failures");
        }

        @Override
        public void processElement(T entry, Context context, Collector<Void> out)
                throws IOException {
            long read = READ.incrementAndGet();
            long thrown = THROWN.get();
            if (thrown < 2
                    && read >= (thrown + 1) * examples / 3
                    && THROWN.compareAndSet(thrown, thrown + 1)) {
                throw new IOException("a failure that the benchmark asked for");
            }
        }
    }
}
