package io.counterflow.benchmarks.streaming;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.benchmarks.process.BrokerProcess;
import io.counterflow.benchmarks.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures decisions per second and the CPU time of a decision from Kafka through the learner,
 * compared with a job that does nothing and with a job that copies each decision to one topic.
 *
 * <p>Broker and load generator are processes of their own, and their CPU time is not counted. Each
 * case runs in a process of its own, on RocksDB, at a parallelism of two, with default settings of
 * the job and the exactly-once sink; other settings are in the table. All jobs of a case read the
 * same backlog, with heartbeats. They are measured from a fifth of the records to the last one.
 * Ratios are by CPU time; only they are results on a shared machine.
 */
public final class Throughput {

    /** The cases that the goals are about come first. */
    private static final List<String> ALL_CASES =
            List.of(
                    "joined-named-small-1",
                    "joined-dense-small-1",
                    "prejoined-named-small-1",
                    "prejoined-dense-small-1",
                    "joined-compact-default-10",
                    "joined-compact-default-10000",
                    "joined-named-default-1",
                    "joined-dense-default-1",
                    "prejoined-named-default-1",
                    "prejoined-dense-default-1",
                    "joined-dense-small-100",
                    "joined-dense-default-100",
                    "prejoined-dense-default-100",
                    "joined-named-small-100",
                    "joined-named-default-100",
                    "joined-compact-small-10000",
                    "prejoined-compact-default-10000");

    private static final String HEAP = "4g";

    private final Map<String, JsonNode> measured = new LinkedHashMap<>();
    private int decisions = 1_000_000;
    private Duration limit = Duration.ofMinutes(20);
    private boolean profiled;

    private Throughput() {}

    /** Arguments: {@code [--profile] [--limit DURATION] [DECISIONS] [CASE…]}. */
    public static void main(String[] args) throws IOException {
        new Throughput().run(args);
    }

    private void run(String[] args) throws IOException {
        List<Traffic> cases = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--profile")) {
                profiled = true;
            } else if (args[i].equals("--limit") && i + 1 < args.length) {
                limit = Duration.parse("PT" + args[++i]);
            } else if (args[i].matches("\\d{1,9}")) {
                decisions = Integer.parseInt(args[i]);
            } else {
                cases.add(Traffic.parse(args[i]));
            }
        }
        if (cases.isEmpty()) {
            ALL_CASES.forEach(name -> cases.add(Traffic.parse(name)));
        }
        Path directory = Files.createTempDirectory("counterflow-benchmark");
        try (BrokerProcess kafka = BrokerProcess.start(directory)) {
            for (Traffic traffic : cases) {
                measure(
                        new CaseProcess.Measurement(
                                new Deployment(kafka.bootstrapServers(), directory),
                                traffic,
                                decisions,
                                limit,
                                profiled));
            }
        }
        printTable();
        printGoals();
    }

    private void measure(CaseProcess.Measurement measurement) throws IOException {
        try (ChildProcess process =
                ChildProcess.start(CaseProcess.class, HEAP, measurement.toArguments())) {
            for (String line : process.readLines()) {
                System.out.println(line);
                JsonNode json = new ObjectMapper().readTree(line);
                measured.put(json.get("case").asText(), json);
            }
        }
        if (!measured.containsKey(measurement.traffic().name())) {
            throw new IllegalStateException(measurement.traffic().name() + " failed");
        }
    }

    private void printTable() {
        System.out.printf(
                "%n| case | decisions/s | CPU µs per decision | of the copy job, by CPU |"
                        + " of the no-op job, by CPU |%n|---|---|---|---|---|%n");
        measured.forEach(
                (name, it) ->
                        System.out.printf(
                                Locale.ROOT,
                                "| %s%s%s | %,.0f | %.1f | %.2f | %.2f |%n",
                                name,
                                settings(it),
                                it.get("complete").asBoolean() ? "" : " (stopped by the limit)",
                                number(it, "decisionsPerSecond"),
                                number(it, "cpuMicros"),
                                number(it, "toCopyByCpu"),
                                number(it, "toNoOpByCpu")));
    }

    private void printGoals() {
        System.out.printf("%n| goal | measured | met |%n|---|---|---|%n");
        ofCopy("joined, named: at least 0.5 of the copy job", "joined-named-small-1", 0.5);
        ofCopy("joined, dense: at least 0.5 of the copy job", "joined-dense-small-1", 0.5);
        ofCopy("reward included, named: at least 0.7", "prejoined-named-small-1", 0.7);
        ofCopy("reward included, dense: at least 0.7", "prejoined-dense-small-1", 0.7);
        @Nullable JsonNode many = measured.get("joined-compact-default-10000");
        @Nullable JsonNode few = measured.get("joined-compact-default-10");
        if (many != null && few != null) {
            double ratio = number(many, "cpuMicros") / number(few, "cpuMicros");
            goal("a decision of 10,000 loops: at most 1.5 times one of 10", ratio, ratio <= 1.5);
        }
    }

    private void ofCopy(String goal, String name, double atLeast) {
        @Nullable JsonNode it = measured.get(name);
        if (it != null) {
            double ratio = number(it, "toCopyByCpu");
            goal(goal, ratio, ratio >= atLeast);
        }
    }

    private static void goal(String goal, double measured, boolean met) {
        System.out.printf(Locale.ROOT, "| %s | %.2f | %s |%n", goal, measured, met ? "yes" : "no");
    }

    private static String settings(JsonNode json) {
        String settings = json.get("settings").asText();
        return settings.isEmpty() ? "" : " (" + settings + ")";
    }

    private static double number(JsonNode json, String field) {
        return json.get(field).asDouble();
    }
}
