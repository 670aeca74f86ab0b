package io.counterflow.benchmarks.streaming;

import io.counterflow.benchmarks.process.BrokerProcess;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.client.local.LocalDecision;
import io.counterflow.client.local.LocalDecisions;
import io.counterflow.client.local.LocalSettings;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time until a reward has an effect: from the moment when Kafka has acknowledged it
 * and the attribution window of its decision is over, to the moment when the policy that decides
 * has learned from it.
 *
 * <p>Decisions are taken in this process, with a policy that follows the topics. The loop freezes
 * and promotes a version after each example, so the number of a version is the number of the
 * example in the journal. Checkpoints are one second apart, and records arrive in order, so
 * watermarks do not wait. A deployment adds its {@code watermarks.max-out-of-orderness}.
 */
public final class Freshness {

    private static final String LOOP = "probes";
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final int MAX_GAP_MS = 200;
    private static final long HEARTBEAT_MS = 1_000;
    private static final double GOAL_SECONDS = 3.0; // two checkpoint intervals plus one second
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int WARM_UP = 20;

    private final JobConfig config;
    private final Map<String, Instant> usable = new ConcurrentHashMap<>(); // by event id
    private final NavigableMap<Long, Instant> decided = new ConcurrentSkipListMap<>(); // by version

    private Freshness(JobConfig config) {
        this.config = config;
    }

    /** Argument: the number of rewards. */
    public static void main(String[] args) throws Exception {
        int probes = args.length > 0 ? Integer.parseInt(args[0]) : 600;
        Path directory = Files.createTempDirectory("counterflow-benchmark");
        try (BrokerProcess kafka = BrokerProcess.start(directory);
                EmbeddedFlink flink = EmbeddedFlink.start(Deployment.PARALLELISM)) {
            JobConfig config =
                    new Deployment(kafka.bootstrapServers(), directory)
                            .config(
                                    "freshness",
                                    "freshness",
                                    Deployment.PARALLELISM,
                                    Deployment.FREQUENT_CHECKPOINTS
                                            + "\nwatermarks.max-out-of-orderness: 0s");
            new Freshness(config).run(flink, probes);
        }
        System.exit(0); // some threads of clients may still be running
    }

    private void run(EmbeddedFlink flink, int probes) throws Exception {
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        ProducerSettings settings = new ProducerSettings(Duration.ofSeconds(10), 64L << 20);
        try (KafkaRecordProducer specs =
                        KafkaRecordProducer.connect(
                                config.kafka(), config.topics(), settings, List.of(Topic.LOOPS));
                KafkaRecordProducer feedback =
                        KafkaRecordProducer.connect(
                                config.kafka(),
                                config.topics(),
                                settings,
                                List.of(Topic.IMPRESSIONS, Topic.REWARDS))) {
            specs.append(
                            Topic.LOOPS,
                            LOOP,
                            Instant.now(),
                            WireCodec.of(LoopSpecRecord.class)
                                    .encode(LoopSpecConversion.toRecord(spec())))
                    .get();
            StreamExecutionEnvironment env = flink.environment(new Configuration());
            setup.build(env);
            JobClient job = env.executeAsync("freshness");
            try (LocalDecisions decisions =
                    LocalDecisions.follow(
                            new LocalSettings(
                                    config.kafka(),
                                    config.topics(),
                                    settings,
                                    950_000,
                                    PolicyLimits.ofHeap(),
                                    SnapshotDirectory.of(config.sink().snapshotDirectory())),
                            Clock.systemUTC(),
                            message -> System.err.println(message))) {
                decisions.awaitReady(LIMIT);
                probe(decisions, feedback, probes);
            } finally {
                job.cancel().get();
            }
        }
        print(probes);
    }

    private static LoopSpec spec() {
        return TrafficShape.DENSE
                .defaults(LOOP, Instant.now())
                .with(LoopSettings.ATTRIBUTION_WINDOW, WINDOW)
                .with(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                .with(LoopSettings.SNAPSHOT_EXAMPLES, 1L)
                .with(LoopSettings.BATCH_SIZE, 1L)
                .with(LoopSettings.BUFFER_STEPS, 0L)
                .with(LoopSettings.BUFFER_CAPACITY, 1_000L);
    }

    private void probe(LocalDecisions decisions, KafkaRecordProducer feedback, int probes)
            throws Exception {
        EventRandom random = new EventRandom(1);
        WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);
        long end = System.nanoTime() + LIMIT.toNanos();
        int sent = 0;
        long nextProbe = System.nanoTime();
        long nextHeartbeat = nextProbe;
        while (!decided.containsKey((long) WARM_UP + probes)) {
            watch(decisions);
            long now = System.nanoTime();
            if (now >= nextHeartbeat) {
                nextHeartbeat = now + HEARTBEAT_MS * 1_000_000L;
                heartbeat(feedback);
            }
            if (sent < WARM_UP + probes && now >= nextProbe) {
                nextProbe = now + random.nextInt(MAX_GAP_MS) * 1_000_000L;
                LocalDecision decision =
                        decisions.decide(LOOP, RankRequest.of(TrafficShape.DENSE.context(random)));
                reward(decision, feedback, rewards);
                sent++;
                end = now + LIMIT.toNanos();
            }
            if (now > end) {
                throw new IllegalStateException(
                        "%d of %d rewards were learned within %s"
                                .formatted(decided.size(), sent, LIMIT));
            }
            Thread.sleep(1);
        }
    }

    private void heartbeat(KafkaRecordProducer feedback) {
        var unused =
                feedback.appendToAll(
                        "heartbeat",
                        WireCodec.of(HeartbeatRecord.class)
                                .encode(new HeartbeatRecord("benchmark", Instant.now())),
                        stamped -> {});
    }

    private void reward(
            LocalDecision decision, KafkaRecordProducer feedback, WireCodec<RewardRecord> codec) {
        String event = decision.eventId();
        Instant windowEnd = decision.ranked().impression().time().plus(WINDOW);
        var unused =
                feedback.append(
                                Topic.REWARDS,
                                event,
                                Instant.now(),
                                codec.encode(
                                        new RewardRecord(
                                                "r",
                                                event,
                                                LOOP,
                                                Instant.now(),
                                                1.0,
                                                RewardMetricRecord.REWARD)))
                        .thenRun(
                                () -> {
                                    Instant now = Instant.now();
                                    usable.put(event, now.isAfter(windowEnd) ? now : windowEnd);
                                });
    }

    /** Notes since when a version decides. */
    private void watch(LocalDecisions decisions) {
        long version =
                decisions.loop(LOOP).map(ServedLoop::active).map(it -> it.version()).orElse(0L);
        long known = decided.isEmpty() ? 0 : decided.lastKey();
        Instant now = Instant.now();
        for (long v = known + 1; v <= version; v++) {
            decided.put(v, now);
        }
    }

    /**
     * An example in the journal.
     *
     * @param version the first version that has learned from it
     * @param written when its entry was written; readers see it after the next checkpoint
     */
    private record Learned(String event, long version, Instant written) {}

    private void print(int probes) {
        List<Learned> learned = learned();
        double[] seconds =
                seconds(learned, it -> usable.get(it.event()), it -> decided.get(it.version()));
        double[] learning = seconds(learned, it -> usable.get(it.event()), Learned::written);
        double[] publishing = seconds(learned, Learned::written, it -> decided.get(it.version()));
        double p99 = percentile(seconds, 0.99);
        System.out.printf(
                Locale.ROOT,
                "{\"rewards\":%d,\"checkpointSeconds\":1,\"p50Seconds\":%.2f,\"p99Seconds\":%.2f,"
                        + "\"maxSeconds\":%.2f,\"goalSeconds\":%.1f,\"met\":%b,"
                        + "\"untilLearned\":{\"p50Seconds\":%.2f,\"p99Seconds\":%.2f},"
                        + "\"fromThenUntilDecided\":{\"p50Seconds\":%.2f,\"p99Seconds\":%.2f}}%n",
                probes,
                percentile(seconds, 0.5),
                p99,
                percentile(seconds, 1.0),
                GOAL_SECONDS,
                p99 <= GOAL_SECONDS,
                percentile(learning, 0.5),
                percentile(learning, 0.99),
                percentile(publishing, 0.5),
                percentile(publishing, 0.99));
    }

    private static double[] seconds(
            List<Learned> learned,
            Function<Learned, @Nullable Instant> from,
            Function<Learned, @Nullable Instant> to) {
        return learned.stream()
                .filter(it -> it.version() > WARM_UP)
                .mapToDouble(
                        it -> {
                            Instant start = from.apply(it);
                            Instant end = to.apply(it);
                            if (start == null || end == null) {
                                throw new IllegalStateException(
                                        "event %s has no time".formatted(it.event()));
                            }
                            return 1e-3 * Duration.between(start, end).toMillis();
                        })
                .sorted()
                .toArray();
    }

    private static double percentile(double[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }

    /** The examples of the journal, in order. */
    private List<Learned> learned() {
        List<Learned> learned = new ArrayList<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(config.topics().name(Topic.JOURNAL), record -> add(record, learned));
        }
        return learned;
    }

    private static void add(ConsumerRecord<byte[], byte[]> record, List<Learned> learned) {
        try {
            JournalRecord entry = WireCodec.of(JournalRecord.class).decode(record.value());
            if (entry.getKind() == JournalKindRecord.EXAMPLE) {
                byte[] impression = new byte[entry.getRecord().remaining()];
                entry.getRecord().get(impression);
                learned.add(
                        new Learned(
                                WireCodec.of(ImpressionRecord.class)
                                        .decode(impression)
                                        .getEventId(),
                                learned.size() + 1L,
                                Instant.ofEpochMilli(record.timestamp())));
            }
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("an entry of the journal cannot be read", e);
        }
    }
}
