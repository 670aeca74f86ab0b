package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that compacts the topic of specs. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class CompactedSpecsIT {

    private static final String LOOP = "kept";
    private static final String SPEC = "{\"actions\":[\"a\",\"b\"],\"features\":1}";
    private static final String RANK = "{\"context\":{\"dense\":[1]}}";

    @TempDir private Path directory;

    /** Compaction keeps the newest spec only, which may be one that the job has refused. */
    @Test
    void theSpecInForceSurvivesARefusedOneThatReplacesItOnTheTopic(EmbeddedFlink flink)
            throws Exception {
        try (EmbeddedKafka broker =
                EmbeddedKafka.start(
                        directory.resolve("kafka"),
                        EmbeddedKafka.FREE_PORT,
                        Map.of("log.cleaner.backoff.ms", "100"))) {
            SharedKafka kafka = new SharedKafka(broker.bootstrapServers(), "compacted");
            RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"));
            try (RunningServing serving = RunningServing.start(kafka, "")) {
                compactSoon(kafka);
                put(serving, LOOP);
                RunningServing.await("the start", () -> rollout(serving).contains("started"));
                refuse(kafka, serving);
                RunningServing.await("the refusal", () -> rollout(serving).contains("specRefused"));
                for (int i = 0; versions(serving).contains(1L); i++) {
                    put(serving, "later-" + i); // begins new segments
                }
            } finally {
                job.stop();
            }
            try (RunningServing restarted = RunningServing.start(kafka, "")) {
                assertThat(versions(restarted)).containsExactly(2L);
                JsonNode loop = RunningServing.json(restarted.get("/v1/loops/" + LOOP));
                assertThat(loop.get("specVersion").asLong()).as(loop.toString()).isEqualTo(1);
                assertThat(loop.has("degradedReason")).as(loop.toString()).isFalse();
                HttpResponse<String> decision = restarted.post("/v1/loops/" + LOOP + "/rank", RANK);
                assertThat(decision.statusCode()).as(decision.body()).isEqualTo(200);
            }
        }
    }

    private static void compactSoon(SharedKafka kafka) throws Exception {
        ConfigResource specs =
                new ConfigResource(ConfigResource.Type.TOPIC, kafka.topics().name(Topic.LOOPS));
        List<AlterConfigOp> changes =
                Map.of("segment.ms", "1", "min.cleanable.dirty.ratio", "0").entrySet().stream()
                        .map(it -> new ConfigEntry(it.getKey(), it.getValue()))
                        .map(it -> new AlterConfigOp(it, AlterConfigOp.OpType.SET))
                        .toList();
        try (Admin admin = Admin.create(kafka.config().properties())) {
            admin.incrementalAlterConfigs(Map.of(specs, changes)).all().get();
        }
    }

    private static void put(RunningServing serving, String loop) throws Exception {
        HttpResponse<String> created = serving.put("/v1/loops/" + loop, SPEC);
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    }

    /** Serving would not write a spec of another shape; somebody else does. */
    private static void refuse(SharedKafka kafka, RunningServing serving) throws Exception {
        LoopSpecRecord other = specs(serving).get(0);
        other.setVersion(2);
        other.setFeatures(2L);
        other.setTime(Instant.now().truncatedTo(ChronoUnit.MICROS));
        try (var producer =
                new KafkaProducer<>(
                        kafka.config().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.send(
                            new ProducerRecord<>(
                                    kafka.topics().name(Topic.LOOPS),
                                    LOOP.getBytes(StandardCharsets.UTF_8),
                                    WireCodec.of(LoopSpecRecord.class).encode(other)))
                    .get();
        }
    }

    private static List<LoopSpecRecord> specs(RunningServing serving) {
        return serving.records(Topic.LOOPS, LoopSpecRecord.class).stream()
                .filter(it -> it.getLoop().equals(LOOP))
                .toList();
    }

    private static List<Long> versions(RunningServing serving) {
        return specs(serving).stream().map(LoopSpecRecord::getVersion).toList();
    }

    private static String rollout(RunningServing serving) {
        try {
            return RunningServing.json(serving.get("/v1/loops/" + LOOP + "/policies"))
                    .at("/rollout/kind")
                    .asText();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
