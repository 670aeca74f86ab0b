package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class JobCommandIT {

    @TempDir private Path directory;

    private Path config(SharedKafka kafka) throws Exception {
        return Files.writeString(
                directory.resolve("counterflow.yaml"),
                """
                %s
                batch.topic-prefix: %s.batch
                kafka.event-partitions: 2
                kafka.partitions: 1
                storage.directory: %s
                checkpoint.interval: 1s
                job.parallelism: 1
                """
                        .formatted(kafka.settings(), kafka.prefix(), directory.resolve("storage")));
    }

    private Path log(int impressions) throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < impressions; i++) {
            lines.append(
                    """
                    {"eventId":"e-%d","loop":"%s","policyVersion":0,"time":"2026-01-01T00:00:%02dZ","context":{"dense":[0.5,1.0]},"action":1,"propensity":0.5,"reward":1.0}
                    """
                            .formatted(i, i % 2 == 0 ? "home" : "mail", i));
        }
        return Files.writeString(directory.resolve("log.jsonl"), lines);
    }

    @Test
    void aLogIsReplayedWithItsTimesAndABatchRunWithoutExamplesEnds(SharedKafka kafka)
            throws Exception {
        Path config = config(kafka);
        JsonNode replayed =
                OfflineCommands.json(
                        "replay", "--log", log(20), "--loop", "home", "--config", config);

        assertThat(replayed.get("impressions").asInt()).isEqualTo(10);
        assertThat(replayed.get("to").asText()).isEqualTo("2026-01-01T00:00:18Z");
        int[] counts = new int[2];
        JobConfig read = JobConfig.read(config, Map.of());
        try (TopicReader reader = new TopicReader(read.kafka())) {
            reader.read(
                    read.topics().name(Topic.IMPRESSIONS),
                    record -> {
                        boolean heartbeat =
                                WireCodec.of(HeartbeatRecord.class).accepts(record.value());
                        boolean impression =
                                WireCodec.of(ImpressionRecord.class).accepts(record.value());
                        counts[0] += heartbeat ? 1 : 0;
                        counts[1] += impression ? 1 : 0;
                    });
        }
        assertThat(counts).containsExactly(2, 10);

        JsonNode batch = OfflineCommands.json("job", "--config", config, "--local", "--batch");
        assertThat(batch.get("examples").asInt()).isZero();
        assertThat(batch.get("snapshots").asInt()).isZero();
        assertThat(batch.get("topicPrefix").asText()).isEqualTo(kafka.prefix() + ".batch");
    }

    @Test
    void aBatchRunNamesTheLoopsThatItLeavesOut(SharedKafka kafka) throws Exception {
        Path config = config(kafka);
        JobConfig read = JobConfig.read(config, Map.of());
        new JobSetup(read, RunMode.BATCH).ensureTopics();
        JournalRecord entry = new JournalRecord();
        entry.setKind(JournalKindRecord.TIME);
        entry.setLoop("old");
        entry.setSequence(7);
        entry.setTime(Instant.parse("2026-01-01T00:00:00Z"));
        entry.setRecord(ByteBuffer.allocate(0));
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        read.kafka().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.send(
                            new ProducerRecord<>(
                                    read.topics().name(Topic.JOURNAL),
                                    "old".getBytes(StandardCharsets.UTF_8),
                                    WireCodec.of(JournalRecord.class).encode(entry)))
                    .get();
        }
        JsonNode batch = OfflineCommands.json("job", "--config", config, "--local", "--batch");
        assertThat(batch.get("leftOutLoops").asInt()).isOne();
        assertThat(batch.get("leftOut").get(0).asText()).isEqualTo("old");
    }

    @Test
    void aReplayCanCreateTheLoop(SharedKafka kafka) throws Exception {
        Path config = config(kafka);
        Path spec =
                Files.writeString(
                        directory.resolve("spec.json"),
                        "{\"actions\":[\"a\",\"b\"],\"features\":2,\"snapshotExamples\":5}");
        OfflineCommands.json("replay", "--log", log(20), "--config", config, "--spec", spec);

        List<LoopSpecRecord> specs = new ArrayList<>();
        JobConfig read = JobConfig.read(config, Map.of());
        WireCodec<LoopSpecRecord> codec = WireCodec.of(LoopSpecRecord.class);
        try (TopicReader reader = new TopicReader(read.kafka())) {
            List<byte[]> values = new ArrayList<>();
            reader.read(read.topics().name(Topic.LOOPS), record -> values.add(record.value()));
            for (byte[] value : values) {
                specs.add(codec.decode(value));
            }
        }
        assertThat(specs)
                .extracting(LoopSpecRecord::getLoop)
                .containsExactlyInAnyOrder("home", "mail");
        assertThat(specs).extracting(LoopSpecRecord::getSnapshotExamples).containsOnly(5L);
        assertThat(specs.get(0).getTime()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));

        OfflineCommands commands = new OfflineCommands();
        Files.writeString(spec, "{\"actions\":[],\"features\":2}");
        assertThat(commands.run("replay", "--log", log(2), "--config", config, "--spec", spec))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("spec.json: actions must be at least 1, got 0");
    }

    @Test
    void mistakesInTheConfigurationAreReported() throws Exception {
        OfflineCommands commands = new OfflineCommands();
        Path config = Files.writeString(directory.resolve("c.yaml"), "job.nam: x");
        assertThat(commands.run("job", "--config", config)).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("c.yaml: unknown key job.nam; did you mean job.name?");
        assertThat(commands.run("job", "--config", directory.resolve("missing.yaml")))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.run("replay", "--log", "x.jsonl", "--config", config))
                .isEqualTo(ExitCode.BAD_INPUT);
    }
}
