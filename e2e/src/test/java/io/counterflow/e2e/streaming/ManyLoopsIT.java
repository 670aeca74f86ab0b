package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three thousand loops in one job, of which a few hundred are on the heap at a time. */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
final class ManyLoopsIT {

    private static final String OPERATOR = "Learn_and_roll_out";
    private static final int LOOPS = 3_000;
    private static final int ROUNDS = 5;
    private static final long CACHE_BYTES = 1L << 20;
    private static final int PARALLELISM = 2;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final ImpressionConversion IMPRESSIONS =
            new ImpressionConversion(JsonLimits.defaults());

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir private Path directory;

    @Test
    void thousandsOfLoopsLearnOnABoundedHeap(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        try (StreamRun run =
                new StreamRun(
                        flink,
                        kafka,
                        directory,
                        "many",
                        PARALLELISM,
                        "loop.cache-size: %db".formatted(CACHE_BYTES))) {
            for (int loop = 0; loop < LOOPS; loop++) {
                sendSpec(run, loop);
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (int loop = 0; loop < LOOPS; loop++) {
                    sendDecision(run, loop, round);
                }
            }
            run.heartbeat(timeOf(ROUNDS).plusSeconds(60));
            run.start();
            // Offsets first: reading all records again and again would take longer than the job.
            run.awaitThat(
                    "all examples",
                    () ->
                            run.endOffsets(Topic.JOURNAL) >= LOOPS * (1 + ROUNDS)
                                    && run.journal().examples() >= LOOPS * ROUNDS);
            run.awaitThat(
                    "a version of each loop",
                    () ->
                            run.endOffsets(Topic.POLICY_SNAPSHOTS) >= 2 * LOOPS
                                    && run.results().versions().size() == LOOPS);

            assertThat(run.results().versions().values())
                    .allSatisfy(it -> assertThat(it).hasSize(1));
            assertThat(run.read(Topic.DEAD_LETTERS).size()).isZero();
            assertThat(run.journal().examples()).isEqualTo(LOOPS * ROUNDS);
            // Flink fetches metrics when it is first asked for them, and answers later.
            run.awaitThat("metrics", () -> operatorMetrics(flink, run).size() == 2);
            for (JsonNode metric : operatorMetrics(flink, run)) {
                boolean bytes = metric.get("id").asText().endsWith("cached_bytes");
                assertThat(metric.get("max").asLong())
                        .as(metric.get("id").asText())
                        .isBetween(1L, bytes ? CACHE_BYTES : LOOPS / 10);
            }
        }
    }

    private static Instant timeOf(int round) {
        return START.plusSeconds(1 + 10L * round);
    }

    private static String name(int loop) {
        return "loop-%05d".formatted(loop);
    }

    /** A snapshot after four examples: one for each loop. */
    private static void sendSpec(StreamRun run, int loop) {
        LoopSpec spec =
                LoopSpec.builder(name(loop))
                        .at(1, START)
                        .vectors(2, "a", "b")
                        .set(LoopSettings.BATCH_SIZE, 2L)
                        .set(LoopSettings.BUFFER_CAPACITY, 8L)
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 4L)
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                        .build();
        run.send(
                Topic.LOOPS,
                name(loop),
                WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
    }

    private static void sendDecision(StreamRun run, int loop, int round) {
        String eventId = loop + "/" + round;
        EventRandom random = EventRandom.named(eventId);
        Impression impression =
                new Impression(
                        eventId,
                        name(loop),
                        0,
                        1,
                        timeOf(round).plusMillis(random.nextInt(1_000)),
                        new Context.Vector(
                                DenseVector.of(
                                        (float) random.nextGaussian(),
                                        (float) random.nextGaussian())),
                        Choice.of(random.nextInt(2), 0.5),
                        RewardRule.none(),
                        OptionalDouble.of(random.nextInt(2)));
        run.send(
                Topic.IMPRESSIONS,
                eventId,
                WireCodec.of(ImpressionRecord.class).encode(IMPRESSIONS.toRecord(impression)));
    }

    /** Loops on the heap and their bytes: the highest values over all subtasks. */
    private static JsonNode operatorMetrics(EmbeddedFlink flink, StreamRun run) throws Exception {
        String job = flink.address() + "/jobs/" + run.job().getJobID();
        for (JsonNode vertex : get(job).get("vertices")) {
            if (vertex.get("name").asText().contains("Learn and roll out")) {
                return get(
                        "%s/vertices/%s/subtasks/metrics?get=%s.cached_loops,%s.cached_bytes&agg=max"
                                .formatted(job, vertex.get("id").asText(), OPERATOR, OPERATOR));
            }
        }
        throw new AssertionError("no operator of all loops");
    }

    private static JsonNode get(String uri) throws Exception {
        HttpResponse<String> response =
                CLIENT.send(
                        HttpRequest.newBuilder(URI.create(uri)).build(),
                        HttpResponse.BodyHandlers.ofString());
        return new ObjectMapper().readTree(response.body());
    }
}
