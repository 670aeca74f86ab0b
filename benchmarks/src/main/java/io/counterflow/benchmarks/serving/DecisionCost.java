package io.counterflow.benchmarks.serving;

import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.local.LocalSettings;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.rank.RandomIds;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranker;
import io.counterflow.client.rank.Ranking;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.schemas.json.ContextJson;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.Reply;
import io.vertx.core.buffer.Buffer;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time of a decision in the caller's process, and of its parts. Kafka is replaced by a producer
 * that acknowledges at once, because the caller of {@code LocalDecisions.decide} does not wait for
 * Kafka. So the time of the producer itself, which sends in the background, is not included.
 *
 * <p>Reading the request and writing the answer are parts of a decision over HTTP only.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = "-XX:+UseParallelGC")
public class DecisionCost {

    private static final int REQUESTS = 256;

    @Param({"NAMED", "DENSE"})
    public RequestShape shape = RequestShape.NAMED;

    private final Clock clock = Clock.systemUTC();
    private final Buffer[] bodies = new Buffer[REQUESTS];
    private final RankRequest[] requests = new RankRequest[REQUESTS];
    private final Features[] features = new Features[REQUESTS];
    private final RankedDecision[] decisions = new RankedDecision[REQUESTS];
    private final LocalSettings settings = LocalSettings.of("unused:9092");
    private final PolicyStore policies =
            new PolicyStore(settings.policies(), settings.snapshots(), DecisionCost::fail);
    private final ImpressionLog impressions =
            new ImpressionLog(
                    (topic, key, time, value) -> CompletableFuture.completedFuture(null),
                    settings.maxImpressionBytes(),
                    loop -> {});
    private int next;

    /** Adds the loop with a policy whose weights are not zero, and takes some decisions. */
    @Setup
    public void start() {
        LoopSpecRecord spec =
                LoopSpecConversion.toRecord(
                        new LoopSpecJson(JsonLimits.defaults())
                                .read(shape.spec(), shape.loop(), 1, Instant.EPOCH));
        policies.takeSpec(shape.loop(), WireCodec.of(LoopSpecRecord.class).encode(spec));
        policies.swap();
        ServedLoop loop = loop();
        Random random = new Random(1);
        for (int i = 0; i < REQUESTS; i++) {
            bodies[i] = Buffer.buffer(shape.body(random));
            requests[i] = RankRequest.of(read(bodies[i]));
            features[i] = loop.features(requests[i].context());
            decisions[i] = Ranker.decide(loop, requests[i], eventId(), clock.instant());
        }
    }

    private static void fail(String refused) {
        throw new IllegalStateException(refused);
    }

    private ServedLoop loop() {
        return policies.loop(shape.loop()).orElseThrow();
    }

    private int next() {
        next = (next + 1) % REQUESTS;
        return next;
    }

    private static String eventId() {
        return RandomIds.next();
    }

    private static Context read(Buffer body) {
        ContextJson context = new ContextJson(JsonFields.LIMITS);
        JsonFields.read(
                body,
                (name, json) -> {
                    switch (name) {
                        case "context" -> context.readContext(json);
                        case "actions" -> context.readActions(json);
                        default -> throw JsonFields.unknown(name);
                    }
                });
        return context.context();
    }

    /** The steps of {@code LocalDecisions.decide}. */
    @Benchmark
    public CompletableFuture<Boolean> decide() {
        ServedLoop loop = loop();
        RankedDecision ranked = Ranker.decide(loop, requests[next()], eventId(), clock.instant());
        return impressions.append(ranked.impression()).handle((done, failure) -> failure == null);
    }

    @Benchmark
    public Context readRequest() {
        return read(bodies[next()]);
    }

    @Benchmark
    public Features encodeFeatures() {
        return loop().features(requests[next()].context());
    }

    /** Scores, probabilities and the draw. */
    @Benchmark
    public Decision score() {
        int i = next();
        return loop().decide(
                        features[i], AllowedActions.allBut(), decisions[i].impression().eventId());
    }

    @Benchmark
    public CompletableFuture<Void> writeRecord() {
        return impressions.append(decisions[next()].impression());
    }

    @Benchmark
    public Reply writeAnswer() {
        RankedDecision ranked = decisions[next()];
        StringBuilder json = new StringBuilder("{\"eventId\":");
        JsonText.append(ranked.impression().eventId(), json);
        json.append(",\"ranking\":");
        Ranking.append(ranked, json);
        return Reply.text(200, Reply.JSON, json.append('}').toString());
    }
}
