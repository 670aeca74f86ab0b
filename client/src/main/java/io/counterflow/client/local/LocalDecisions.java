package io.counterflow.client.local;

import io.counterflow.client.CounterflowClient;
import io.counterflow.client.RankAnswer;
import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.client.policies.PolicyFollower;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.rank.RandomIds;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranker;
import io.counterflow.client.rank.SlotRanker;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.UnloggedDecision;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Takes decisions in this process. It follows the same topics as a server, uses the same code and
 * writes the same impressions, so that its decisions are those of a server.
 *
 * <p>Rewards are sent to a server with {@link CounterflowClient}. Thread-safe: one instance is
 * enough for a program.
 */
public final class LocalDecisions implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(10);

    private final PolicyStore policies;
    private final KafkaRecordProducer records;
    private final ImpressionLog impressions;
    private final PolicyFollower follower;
    private final Clock clock;
    private final AtomicLong unlogged = new AtomicLong();

    private LocalDecisions(
            PolicyStore policies,
            KafkaRecordProducer records,
            ImpressionLog impressions,
            PolicyFollower follower,
            Clock clock) {
        this.policies = policies;
        this.records = records;
        this.impressions = impressions;
        this.follower = follower;
        this.clock = clock;
    }

    /**
     * Connects and starts to follow the topics, which must exist.
     *
     * @param log receives messages about refused records and failures of Kafka
     */
    public static LocalDecisions follow(LocalSettings settings, Clock clock, Consumer<String> log) {
        KafkaRecordProducer records =
                KafkaRecordProducer.connect(
                        settings.kafka(),
                        settings.topics(),
                        settings.impressions(),
                        List.of(Topic.IMPRESSIONS));
        PolicyStore policies = new PolicyStore(settings.policies(), settings.snapshots(), log);
        return new LocalDecisions(
                policies,
                records,
                new ImpressionLog(records, settings.maxImpressionBytes(), loop -> {}),
                new PolicyFollower(settings.kafka(), settings.topics(), policies, log),
                clock);
    }

    /** Whether all policies that existed at the start have been loaded. */
    public boolean ready() {
        return follower.caughtUp();
    }

    public void awaitReady(Duration timeout) throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + timeout.toNanos();
        while (!ready()) {
            if (System.nanoTime() > end) {
                throw new TimeoutException("the policies were not loaded within " + timeout);
            }
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
    }

    /** A loop as it is served now; empty if it does not exist. */
    public Optional<ServedLoop> loop(String name) {
        return policies.loop(name);
    }

    /** The number of decisions that Kafka did not acknowledge in time. */
    public long unlogged() {
        return unlogged.get();
    }

    /**
     * Decides at once, and logs the decision in the background.
     *
     * <p>If the log fails, nothing is learned from the decision and no estimate counts it. If that
     * matters, use {@link #rank}, or wait for {@link LocalDecision#logged}.
     *
     * @throws IllegalArgumentException if the loop is unknown, or the request does not fit it
     */
    public LocalDecision decide(String loopName, RankRequest request) {
        return decide(known(loopName), request);
    }

    /**
     * Decides for each slot of a page at once, and logs the decisions in the background.
     *
     * @return the decisions in the order of the slots
     * @throws IllegalArgumentException if the loop is unknown, or the request does not fit it
     */
    public List<LocalDecision> decideSlots(String loopName, SlotsRequest request) {
        String eventId = request.shared().eventId().orElseGet(RandomIds::next);
        return SlotRanker.decide(known(loopName), request, eventId, clock.instant()).stream()
                .map(this::log)
                .toList();
    }

    /**
     * Decides as a server does: the answer completes when Kafka has acknowledged the decision. If
     * Kafka does not in time, the loop's spec says whether the answer is marked, or fails with an
     * {@link IOException}.
     *
     * @throws IllegalArgumentException if the loop is unknown, or the request does not fit it
     */
    public CompletableFuture<RankAnswer> rank(String loopName, RankRequest request) {
        ServedLoop loop = known(loopName);
        boolean mayBeUnlogged =
                loop.spec().get(LoopSettings.UNLOGGED_DECISION) == UnloggedDecision.ANSWER;
        LocalDecision decision = decide(loop, request);
        return decision.logged()
                .thenApply(
                        logged -> {
                            if (!logged && !mayBeUnlogged) {
                                throw new CompletionException(
                                        new IOException(
                                                "the decision was not logged in time and does"
                                                        + " not count; ask again with event id "
                                                        + decision.ranked()
                                                                .impression()
                                                                .eventId()));
                            }
                            return RankAnswer.of(decision.ranked(), logged);
                        });
    }

    private ServedLoop known(String name) {
        return policies.loop(name)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "there is no loop \"%s\"".formatted(name)));
    }

    /**
     * @param loop fetched once, so that decision and impression have the same version
     */
    private LocalDecision decide(ServedLoop loop, RankRequest request) {
        String eventId = request.eventId().orElseGet(RandomIds::next);
        return log(Ranker.decide(loop, request, eventId, clock.instant()));
    }

    private LocalDecision log(RankedDecision ranked) {
        CompletableFuture<Boolean> logged =
                impressions
                        .append(ranked.impression())
                        .handle(
                                (done, failure) -> {
                                    if (failure != null) {
                                        unlogged.incrementAndGet();
                                    }
                                    return failure == null;
                                });
        return new LocalDecision(ranked, logged);
    }

    /** Stops following, and writes pending decisions until their timeout. */
    @Override
    public void close() {
        follower.close();
        impressions.stop();
        records.close();
    }
}
