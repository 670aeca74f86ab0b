package io.counterflow.e2e.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.serving.RunningServing;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.e2e.streaming.JournalLog;
import io.counterflow.e2e.streaming.StreamResults;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Topics and a savepoint that an earlier build has written are restored by this one, which
 * continues as if nothing had happened. A release adds its files: docs/releasing.md.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class UpgradeIT {

    private static final List<String> QUESTIONS = List.of("q-1", "q-2", "q-3", "q-4");

    @TempDir private Path directory;

    static List<StoredRelease> releases() throws IOException {
        return StoredRelease.all();
    }

    @ParameterizedTest
    @MethodSource("releases")
    void thisBuildContinues(StoredRelease release, SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        try (StoredDeployment deployment =
                new StoredDeployment(
                        flink,
                        kafka.bootstrapServers(),
                        directory,
                        Files.readString(release.config()))) {
            OfflineCommands.json(
                    "restore", "--config", deployment.file(), "--in", release.topics());
            StreamResults stored = deployment.results();
            assertReplayed(deployment.replay(deployment.prefix() + ".again"), stored);
            Map<String, Long> entries = last(deployment.journal());
            assertThat(entries.keySet()).containsAll(SampleTraffic.SPECS.keySet());

            try (RunningServing serving = deployment.serve()) {
                SampleTraffic traffic = new SampleTraffic(serving);
                assertThat(traffic.answers(QUESTIONS)).isEqualTo(release.readAnswers());
                deployment.startJob(release.savepoint());
                traffic.send("later", 40);
                assertThat(deployment.decided()).containsAll(traffic.decided());
                deployment.awaitNone("decisions that were not learned", deployment::unlearned);
                deployment.await("new versions", () -> hasNewVersions(deployment, stored));
                deployment.stopJob(directory);
            }
            assertContinued(deployment, entries, stored);
            StreamResults replayed = deployment.replay(deployment.prefix() + ".at-last");
            assertThat(replayed.versions()).containsAllEntriesOf(deployment.results().versions());
            assertThat(windows(replayed)).isEqualTo(windows(deployment.results()));
            assertAuditIsClean(deployment);
        }
    }

    private static void assertReplayed(StreamResults replayed, StreamResults live) {
        assertThat(live.versions()).hasSizeGreaterThan(5);
        assertThat(replayed.snapshots()).isEqualTo(live.snapshots());
        assertThat(replayed.rollouts()).isEqualTo(live.rollouts());
        assertThat(windows(replayed)).isEqualTo(windows(live));
    }

    /** Without the ends of deleted loops, which the first releases did not write. */
    private static Map<String, List<String>> windows(StreamResults results) {
        Map<String, List<String>> windows = new TreeMap<>();
        results.windows()
                .forEach(
                        (loop, records) ->
                                windows.put(
                                        loop,
                                        records.stream()
                                                .filter(it -> !it.equals("deleted"))
                                                .toList()));
        return windows;
    }

    private static boolean hasNewVersions(StoredDeployment deployment, StreamResults before) {
        return deployment.results().versions().keySet().stream()
                        .filter(it -> !before.versions().containsKey(it))
                        .count()
                >= 3;
    }

    private static Map<String, Long> last(JournalLog journal) {
        Map<String, Long> sequences = new TreeMap<>();
        for (JournalRecord entry : journal.entries()) {
            sequences.merge(entry.getLoop(), entry.getSequence(), Math::max);
        }
        return sequences;
    }

    /** Entries and versions go on from the last ones of the release. */
    private static void assertContinued(
            StoredDeployment deployment, Map<String, Long> entries, StreamResults stored) {
        deployment.journal().assertGapless();
        Map<String, Long> now = last(deployment.journal());
        for (String loop : SampleTraffic.SPECS.keySet()) {
            assertThat(now.get(loop)).as(loop).isGreaterThan(entries.get(loop));
        }
        Map<String, Integer> versions = new HashMap<>();
        StreamResults results = deployment.results();
        results.versions().keySet().forEach(it -> versions.merge(loop(it), 1, Integer::sum));
        results.versions()
                .forEach(
                        (version, records) -> {
                            assertThat(records).as(version).hasSize(1);
                            assertThat(number(version))
                                    .as(version)
                                    .isBetween(1, versions.get(loop(version)));
                        });
        assertThat(results.versions()).containsAllEntriesOf(stored.versions());
    }

    private static String loop(String version) {
        return version.substring(0, version.indexOf('@'));
    }

    private static int number(String version) {
        return Integer.parseInt(version.substring(version.indexOf('@') + 1));
    }

    private void assertAuditIsClean(StoredDeployment deployment) throws Exception {
        Path log = directory.resolve("all.jsonl.gz");
        Path policies = directory.resolve("policies");
        OfflineCommands.json(
                "export",
                "--config",
                deployment.file(),
                "--format",
                "jsonl",
                "--out",
                log,
                "--policies",
                policies);
        JsonNode audit = OfflineCommands.json("audit", "--log", log, "--policies", policies);
        assertThat(audit.get("decisions").asInt()).isGreaterThan(800);
        assertThat(audit.get("matches")).isEqualTo(audit.get("decisions"));
    }

    /** Writes what this build stores, under the name that is given. */
    @Test
    @EnabledIfSystemProperty(named = "counterflow.write-release", matches = ".+")
    void write(SharedKafka kafka, EmbeddedFlink flink) throws Exception {
        StoredRelease release =
                StoredRelease.named(
                        Objects.requireNonNull(System.getProperty("counterflow.write-release")));
        String settings =
                """
                kafka.topic-prefix: release-%s
                job.name: release-%s
                kafka.event-partitions: 2
                kafka.partitions: 2
                kafka.feedback-retention: 36500d
                kafka.log-retention: 36500d
                job.parallelism: 2
                checkpoint.interval: 2s
                windows.size: 4s
                windows.slide: 2s
                watermarks.max-out-of-orderness: 200ms
                """
                        .formatted(release, release);
        try (StoredDeployment deployment =
                new StoredDeployment(flink, kafka.bootstrapServers(), directory, settings)) {
            deployment.startJob();
            try (RunningServing serving = deployment.serve()) {
                SampleTraffic traffic = new SampleTraffic(serving);
                traffic.createLoops();
                serving.put("/v1/loops/gone", SampleTraffic.SPECS.getOrDefault("mail", ""));
                serving.post("/v1/loops/gone/rank", "{\"context\":{\"dense\":[1,0,0,0]}}");
                traffic.conflict("mail");
                deployment.sendBroken(Topic.IMPRESSIONS);
                traffic.send("first", 60);
                deployment.await(
                        "a version of mail",
                        () -> deployment.results().versions().containsKey("mail@1"));
                command(serving, "mail", "{\"action\":\"promote\",\"version\":1}");
                traffic.send("second", 30);
                command(serving, "mail", "{\"action\":\"rollback\"}");
                command(serving, "offers", "{\"action\":\"register\",\"greedyOf\":1}");
                serving.send(serving.request("/v1/loops/gone").DELETE().build());
                deployment.await(
                        "a rollback", () -> deployment.results().count("ROLLED_BACK") == 1);
                deployment.await("late records", () -> !deployment.read(Topic.LATE).isEmpty());
                traffic.send("third", 30); // some still wait for rewards in the savepoint
                Path savepoint = deployment.stopJob(directory);
                traffic.send("waiting", 3); // on the topics only
                copy(savepoint, release.savepoint());
                Files.createDirectories(release.directory());
                OfflineCommands.json(
                        "backup", "--config", deployment.file(), "--out", release.topics());
                Files.writeString(release.config(), settings);
                StoredRelease.JSON.writeValue(
                        release.answers().toFile(), traffic.answers(QUESTIONS));
            }
        }
    }

    private static void command(RunningServing serving, String loop, String command)
            throws Exception {
        var answer =
                serving.post(
                        "/v1/loops/" + loop + "/rollout",
                        command.replace("}", ",\"reason\":\"a trial\"}"));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}
