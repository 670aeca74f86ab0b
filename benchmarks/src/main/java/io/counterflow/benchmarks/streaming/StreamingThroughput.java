package io.counterflow.benchmarks.streaming;

import io.counterflow.benchmarks.streaming.Stopwatch.Taken;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Measures impressions per second from Kafka through the learner, compared with the same job with a
 * no-op instead of join and learner.
 *
 * <p>A real broker and a real cluster run in this process, with RocksDB, checkpoints and the
 * exactly-once sink. A backlog is written to the topics. In each round every job reads it from the
 * start; the first round is dropped. Prints a JSON object for each case, with speeds and with
 * ratios within a round: the median and the value of each round. Ratios by CPU compare the CPU time
 * per impression, for machines that are shared with other processes. Only ratios are results.
 */
public final class StreamingThroughput {

    private static final List<String> ALL_CASES =
            List.of("dense-joined", "dense-prejoined", "named-joined", "named-prejoined");

    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final EmbeddedKafka kafka;
    private final EmbeddedFlink flink;
    private final Path directory;
    private final int impressions;
    private final int rounds;

    private StreamingThroughput(
            EmbeddedKafka kafka, EmbeddedFlink flink, Path directory, int impressions, int rounds) {
        this.kafka = kafka;
        this.flink = flink;
        this.directory = directory;
        this.impressions = impressions;
        this.rounds = rounds;
    }

    /** Arguments: impressions of a backlog, rounds after the first, parallelism, cases. */
    public static void main(String[] args) throws Exception {
        int impressions = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        int parallelism = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        List<String> cases = args.length > 3 ? List.of(args).subList(3, args.length) : ALL_CASES;
        Path directory = Files.createTempDirectory("counterflow-benchmark");
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.start(directory.resolve("kafka"), EmbeddedKafka.FREE_PORT);
                EmbeddedFlink flink = EmbeddedFlink.start(parallelism)) {
            StreamingThroughput benchmark =
                    new StreamingThroughput(kafka, flink, directory, impressions, rounds);
            for (String name : cases) {
                benchmark.run(name);
            }
        }
    }

    private void run(String name) throws Exception {
        TrafficShape shape = name.startsWith("dense") ? TrafficShape.DENSE : TrafficShape.NAMED;
        boolean prejoined = name.endsWith("prejoined");
        JobConfig topics = config(name, name);
        new JobSetup(topics, RunMode.LIVE).ensureTopics();
        Backlog backlog = Backlog.write(topics, shape, prejoined, impressions);
        List<Round> measured = new ArrayList<>();
        for (int i = 0; i <= rounds; i++) {
            Round round =
                    new Round(
                            run(name, MeasuredJob.NO_OP, i, backlog),
                            run(name, MeasuredJob.COPY, i, backlog),
                            run(name, MeasuredJob.LEARN, i, backlog));
            if (i > 0) {
                measured.add(round);
            }
        }
        print(name, backlog, measured);
    }

    /** The times of all jobs in one round. */
    private record Round(Taken noOp, Taken copy, Taken learn) {}

    private Taken run(String name, MeasuredJob job, int round, Backlog backlog) throws Exception {
        String deployment = "%s-%s-%d".formatted(name, job.name().toLowerCase(Locale.ROOT), round);
        Stopwatch stopwatch = Stopwatch.reset(job.tellers(backlog));
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        job.build(env, config(name, deployment));
        JobClient running = env.executeAsync(deployment);
        try {
            return stopwatch.await(LIMIT);
        } finally {
            running.cancel().get();
        }
    }

    private JobConfig config(String topicPrefix, String deployment) {
        return JobConfig.parse(
                """
                job.name: %s
                kafka.bootstrap-servers: %s
                kafka.topic-prefix: %s
                kafka.event-partitions: 2
                kafka.partitions: 2
                storage.directory: %s
                checkpoint.interval: 5s
                job.parallelism: %d
                """
                        .formatted(
                                deployment,
                                kafka.bootstrapServers(),
                                topicPrefix,
                                directory.resolve(deployment),
                                flink.slots()),
                Map.of());
    }

    private static void print(String name, Backlog backlog, List<Round> measured) {
        long n = backlog.impressions();
        System.out.printf(
                Locale.ROOT,
                "{\"case\":\"%s\",\"impressions\":%d,\"rewards\":%d,%s,%s,%s,%s,%s,%s,%s}%n",
                name,
                n,
                backlog.rewards(),
                figures("noOpPerSecond", measured, it -> n / it.noOp().seconds()),
                figures("learnPerSecond", measured, it -> n / it.learn().seconds()),
                figures("learnToNoOp", measured, it -> it.noOp().seconds() / it.learn().seconds()),
                figures("learnToCopy", measured, it -> it.copy().seconds() / it.learn().seconds()),
                figures("learnCpuMicros", measured, it -> 1e6 * it.learn().cpuSeconds() / n),
                figures(
                        "learnToNoOpByCpu",
                        measured,
                        it -> it.noOp().cpuSeconds() / it.learn().cpuSeconds()),
                figures(
                        "learnToCopyByCpu",
                        measured,
                        it -> it.copy().cpuSeconds() / it.learn().cpuSeconds()));
    }

    /** The median of all rounds, and the value of each round. */
    private static String figures(
            String field, List<Round> measured, ToDoubleFunction<Round> figure) {
        return String.format(
                Locale.ROOT,
                "\"%s\":%.4g,\"%sByRound\":[%s]",
                field,
                median(measured, figure),
                field,
                measured.stream()
                        .map(it -> String.format(Locale.ROOT, "%.4g", figure.applyAsDouble(it)))
                        .collect(Collectors.joining(",")));
    }

    private static double median(List<Round> measured, ToDoubleFunction<Round> figure) {
        double[] sorted = measured.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1
                ? sorted[middle]
                : 0.5 * (sorted[middle - 1] + sorted[middle]);
    }
}
