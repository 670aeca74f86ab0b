package io.counterflow.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.e2e.streaming.StreamResults;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** One run: a deployment under load, the failures, and the verdict. */
final class FailureRun implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final Duration RECOVERY_LIMIT = Duration.ofMinutes(6);

    private final Deployment deployment;
    private final Ledger ledger = new Ledger();
    private final Traffic traffic;
    private final Random random;
    private final Report report = new Report();
    private @Nullable SnapshotWatch snapshots;

    FailureRun(Path directory, long seed, String settings) throws IOException {
        deployment = new Deployment(directory, settings);
        traffic = new Traffic(deployment, ledger, seed);
        random = new Random(seed);
    }

    Report report() {
        return report;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Starts the processes and the load, and waits until the loops learn. */
    void start(int decisionsPerSecond) throws Exception {
        long beginNs = System.nanoTime();
        deployment.start();
        await("serving", START_LIMIT, this::servingIsReady);
        traffic.createLoops();
        traffic.start(decisionsPerSecond);
        snapshots = new SnapshotWatch(deployment);
        Instant begin = Instant.now();
        await("a snapshot", START_LIMIT, () -> newestSnapshot().isAfter(begin));
        report.line("start until the first snapshot: %.1f s", (System.nanoTime() - beginNs) / 1e9);
    }

    private boolean servingIsReady() throws InterruptedException {
        for (int i = 0; i < Deployment.SERVING_PROCESSES; i++) {
            if (!traffic.isReady(i)) {
                return false;
            }
        }
        return true;
    }

    private Instant newestSnapshot() {
        return snapshots == null ? Instant.EPOCH : snapshots.newest();
    }

    /** Makes something fail, and waits until decisions and learning go on. */
    void inject(Failure failure) throws Exception {
        Instant begin = Instant.now();
        long beginNs = System.nanoTime();
        String target = failure.inject(deployment, random);
        long overNs = System.nanoTime();
        Instant over = Instant.now();
        long[] recoveredNs = {0, 0};
        await(
                "recovery from " + failure + " of " + target,
                RECOVERY_LIMIT,
                () -> {
                    if (recoveredNs[0] == 0
                            && traffic.hasAnswered(0, overNs)
                            && traffic.hasAnswered(1, overNs)) {
                        recoveredNs[0] = System.nanoTime();
                    }
                    if (recoveredNs[1] == 0 && newestSnapshot().isAfter(over)) {
                        recoveredNs[1] = System.nanoTime();
                    }
                    return recoveredNs[0] != 0 && recoveredNs[1] != 0;
                });
        report.add(
                new Report.Injection(
                        begin,
                        failure,
                        target,
                        Duration.ofNanos(overNs - beginNs),
                        Duration.ofNanos(recoveredNs[0] - beginNs),
                        Duration.ofNanos(recoveredNs[1] - beginNs)));
    }

    /** Ends the load, stops the job, and returns everything that is wrong. */
    List<String> finish() throws Exception {
        traffic.stopVisits();
        await("open requests", RECOVERY_LIMIT, () -> traffic.open() == 0);
        awaitAllAccountedFor();
        stopJob();
        Verdict verdict = verdict();
        List<String> faults = new ArrayList<>(verdict.faults());
        if (traffic.wrongAnswer() != null) {
            faults.add("an answer that must not be: " + traffic.wrongAnswer());
        }
        if (traffic.gaveUp() > 0) {
            faults.add(traffic.gaveUp() + " requests never succeeded");
        }
        checkTransactions(faults);
        StreamResults live = results(deployment.topics());
        checkVersions(live, faults);
        checkReplay(live, faults);
        checkAudit(faults);
        describe(verdict);
        return faults;
    }

    /** Waits until every answered decision is in the journal or refused. */
    private void awaitAllAccountedFor() throws InterruptedException {
        long endNs = System.nanoTime() + RECOVERY_LIMIT.toNanos();
        List<String> waiting = verdict().unaccounted();
        while (!waiting.isEmpty()) {
            assertThat(System.nanoTime() - endNs)
                    .as("%d decisions are lost: %s", waiting.size(), waiting)
                    .isNegative();
            TimeUnit.SECONDS.sleep(1);
            waiting = verdict().unaccounted();
        }
    }

    private Verdict verdict() {
        return new Verdict(ledger, TopicLog.read(deployment.kafka(), deployment.topics()));
    }

    private void stopJob() throws Exception {
        deployment.jobManager().mayEnd();
        FlinkRest flink = new FlinkRest(deployment.flinkAddress());
        flink.stopWithSavepoint(deployment.directory().resolve("savepoint").toUri());
        await("the end of the job", RECOVERY_LIMIT, flink::hasEnded);
        deployment.killFlink();
    }

    /** A transaction that is neither committed nor aborted would stop readers for hours. */
    private void checkTransactions(List<String> faults) {
        try (TopicReader committed = new TopicReader(deployment.kafka());
                TopicReader all = TopicReader.ofUncommitted(deployment.kafka())) {
            for (Topic topic : Topic.values()) {
                String name = deployment.topics().name(topic);
                if (!committed.ends(name).equals(all.ends(name))) {
                    faults.add("a transaction on " + name + " is still open");
                }
            }
        }
    }

    private StreamResults results(Topics topics) {
        StreamResults results = new StreamResults();
        try (TopicReader reader = new TopicReader(deployment.kafka())) {
            reader.read(topics.name(Topic.POLICY_SNAPSHOTS), ifWritten(results::addSnapshot));
            reader.read(topics.name(Topic.ROLLOUTS), ifWritten(results::addRollout));
            reader.read(topics.name(Topic.IPS_STATS), ifWritten(results::addWindow));
        }
        return results;
    }

    private static Consumer<ConsumerRecord<byte[], byte[]>> ifWritten(
            Consumer<ConsumerRecord<byte[], byte[]>> results) {
        return record -> {
            if (!Poison.KEY.equals(new String(record.key(), StandardCharsets.UTF_8))) {
                results.accept(record);
            }
        };
    }

    private static void checkVersions(StreamResults live, List<String> faults) {
        live.versions()
                .forEach(
                        (key, snapshots) -> {
                            if (snapshots.size() != 1) {
                                faults.add(key + " is published " + snapshots.size() + " times");
                            }
                        });
    }

    /** Learns again from the journal, with the command, and compares the bytes. */
    private void checkReplay(StreamResults live, List<String> faults) throws Exception {
        Command.run(
                deployment,
                "replay",
                "job",
                "--config",
                deployment.config().toString(),
                "--local",
                "--batch");
        StreamResults again = results(new Topics("counterflow.batch"));
        compare("snapshots", live.snapshots(), again.snapshots(), faults);
        compare("rollouts", live.rollouts(), again.rollouts(), faults);
        compare("windows", live.windows(), again.windows(), faults);
    }

    private void compare(
            String what,
            Map<String, List<String>> live,
            Map<String, List<String>> again,
            List<String> faults) {
        int records = live.values().stream().mapToInt(List::size).sum();
        report.line("replay: %d records of %s compared", records, what);
        if (records == 0) {
            faults.add("there are no " + what);
        }
        if (!live.equals(again)) {
            faults.add("a replay of the journal gives other " + what);
        }
    }

    /** Repeats all learned decisions with the snapshots on the topic, with the command. */
    private void checkAudit(List<String> faults) throws Exception {
        Path log = deployment.directory().resolve("decisions.jsonl");
        Path policies = deployment.directory().resolve("policies");
        Command.run(
                deployment,
                "export",
                "export",
                "--config",
                deployment.config().toString(),
                "--format",
                "jsonl",
                "--out",
                log.toString(),
                "--policies",
                policies.toString());
        String audit =
                Command.run(
                        deployment,
                        "audit",
                        "audit",
                        "--log",
                        log.toString(),
                        "--policies",
                        policies.toString(),
                        "--json");
        report.line("audit: %s", audit.trim());
        JsonNode counts = JSON.readTree(audit);
        if (counts.get("decisions").asLong() == 0
                || counts.get("decisions").asLong() != counts.get("matches").asLong()) {
            faults.add("the audit says " + audit);
        }
    }

    private void describe(Verdict verdict) {
        report.line("%d decisions answered as logged", ledger.answered());
        report.line("%d rewards acknowledged", ledger.acknowledgedRewards());
        report.line("what became of the decisions: %s", verdict.fates());
        report.line("records that were not used, by rule: %s", verdict.rules());
        for (ServerProcess process : deployment.processes()) {
            if (process.unexpectedEnds() > 0) {
                report.line(
                        "%s ended by itself %d times", process.name(), process.unexpectedEnds());
            }
        }
    }

    /** A condition to wait for. */
    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Duration limit, Condition condition) throws Exception {
        long endNs = System.nanoTime() + limit.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - endNs).as("%s within %s", what, limit).isNegative();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    @Override
    public void close() throws IOException {
        traffic.close();
        if (snapshots != null) {
            snapshots.close();
        }
        deployment.close();
    }
}
