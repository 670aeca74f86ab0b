package io.counterflow.serving.rank;

import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.rank.RandomIds;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranker;
import io.counterflow.client.rank.SlotRanker;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.UnloggedDecision;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Takes decisions and logs them. If a decision is not logged, the loop's spec says whether it is
 * answered with a mark or refused. A decision counts if it is logged and its answer is sent.
 */
public final class RankService {

    /** Limit on the draws of a decision on an event loop: about a millisecond. */
    private static final long MAX_DRAWS = 10_000;

    private final PolicyStore policies;
    private final ImpressionLog impressions;
    private final RankMetrics metrics;
    private final Clock clock;
    private final RequestWorkers workers;

    public RankService(
            RequestWorkers workers,
            PolicyStore policies,
            ImpressionLog impressions,
            RankMetrics metrics,
            Clock clock) {
        this.workers = workers;
        this.policies = policies;
        this.impressions = impressions;
        this.metrics = metrics;
        this.clock = clock;
    }

    /**
     * A decision.
     *
     * @param logged whether Kafka has acknowledged it
     */
    public record Answer(RankedDecision ranked, boolean logged) {}

    /**
     * Takes a decision and logs it.
     *
     * @param reply writes the reply. It is called while Kafka stores the decision, which is logged
     *     in most cases, and a second time if it is not logged
     */
    public Future<Reply> rank(String loopName, RankRequest request, Function<Answer, Reply> reply) {
        ServedLoop loop = loop(loopName);
        long start = System.nanoTime();
        String eventId = request.eventId().orElseGet(RandomIds::next);
        Function<List<Answer>, Reply> replyToOne = answers -> reply.apply(answers.get(0));
        return isHeavy(loop.spec(), request)
                ? workers.run(() -> List.of(decide(loop, request, eventId)))
                        .compose(ranked -> log(loop, eventId, ranked, replyToOne, start))
                : log(loop, eventId, List.of(decide(loop, request, eventId)), replyToOne, start);
    }

    /**
     * Takes a decision for each slot of a page, and logs them. They are answered or refused
     * together.
     *
     * @param reply as for one decision
     */
    public Future<Reply> rank(
            String loopName, SlotsRequest request, BiFunction<String, List<Answer>, Reply> reply) {
        ServedLoop loop = loop(loopName);
        long start = System.nanoTime();
        String eventId = request.shared().eventId().orElseGet(RandomIds::next);
        return workers.run(() -> SlotRanker.decide(loop, request, eventId, clock.instant()))
                .compose(
                        ranked ->
                                log(
                                        loop,
                                        eventId,
                                        ranked,
                                        answers -> reply.apply(eventId, answers),
                                        start));
    }

    /**
     * The loop as it is served now: once, so that decision and impression have the same version.
     */
    private ServedLoop loop(String name) {
        return policies.loop(name).orElseThrow(() -> ProblemException.notServed(name, policies));
    }

    /** Whether a decision would delay other requests of the same event loop. */
    private static boolean isHeavy(LoopSpec spec, RankRequest request) {
        DecisionRule rule = spec.decisionRule();
        if (rule.kind() == PolicyKind.SOFTMAX) {
            return false;
        }
        int given = request.context().actionCount();
        int actions = given > 0 ? given : spec.actionIds().size();
        // Without draws, the covariance of the scores takes the time.
        long terms =
                rule.propensityKind() == PropensityKind.ESTIMATED
                        ? rule.propensityDraws()
                        : actions;
        return terms * actions > MAX_DRAWS;
    }

    private RankedDecision decide(ServedLoop loop, RankRequest request, String eventId) {
        long start = System.nanoTime();
        RankedDecision ranked = Ranker.decide(loop, request, eventId, clock.instant());
        metrics.decided(System.nanoTime() - start);
        return ranked;
    }

    private Future<Reply> log(
            ServedLoop loop,
            String eventId,
            List<RankedDecision> ranked,
            Function<List<Answer>, Reply> reply,
            long startNanos) {
        List<CompletableFuture<Void>> logged = new ArrayList<>(ranked.size());
        Reply ifLogged;
        try {
            for (RankedDecision each : ranked) {
                logged.add(impressions.append(each.impression()));
            }
            ifLogged = reply(ranked.stream().map(it -> new Answer(it, true)).toList(), reply);
        } catch (RuntimeException | Error e) { // the caller gets no answer
            ranked.subList(0, logged.size()).forEach(it -> impressions.retract(it.impression()));
            throw e;
        }
        return Future.fromCompletionStage(all(logged))
                .map(
                        done -> {
                            metrics.logged(System.nanoTime() - startNanos);
                            return ifLogged;
                        })
                .recover(
                        failure ->
                                unlogged(loop, eventId, answers(ranked, logged), reply, failure));
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> logged) {
        return logged.size() == 1
                ? logged.get(0)
                : CompletableFuture.allOf(logged.toArray(CompletableFuture[]::new));
    }

    private static List<Answer> answers(
            List<RankedDecision> ranked, List<CompletableFuture<Void>> logged) {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < ranked.size(); i++) {
            answers.add(new Answer(ranked.get(i), !logged.get(i).isCompletedExceptionally()));
        }
        return answers;
    }

    private Reply reply(List<Answer> answers, Function<List<Answer>, Reply> reply) {
        return reply.apply(answers).ifUndelivered(() -> undelivered(answers));
    }

    private Future<Reply> unlogged(
            ServedLoop loop,
            String eventId,
            List<Answer> answers,
            Function<List<Answer>, Reply> reply,
            Throwable failure) {
        if (loop.spec().get(LoopSettings.UNLOGGED_DECISION) == UnloggedDecision.ANSWER) {
            answers.stream()
                    .filter(it -> !it.logged())
                    .forEach(it -> metrics.answeredUnlogged(loop.spec().loop()));
            return Future.succeededFuture(reply(answers, reply));
        }
        answers.forEach(it -> metrics.refusedUnlogged(loop.spec().loop()));
        retractLogged(answers);
        return Future.failedFuture(
                ProblemException.notLogged(
                                "the decision was not logged in time and does not count; ask again"
                                        + " with this eventId")
                        .with("eventId", eventId)
                        .because(failure));
    }

    /** Makes decisions not count whose answer did not reach the caller. */
    private void undelivered(List<Answer> answers) {
        answers.forEach(it -> metrics.undelivered());
        retractLogged(answers);
    }

    /** The others are retracted already. */
    private void retractLogged(List<Answer> answers) {
        answers.stream()
                .filter(Answer::logged)
                .forEach(it -> impressions.retract(it.ranked().impression()));
    }
}
