package io.counterflow.serving.rank;

import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.rank.RandomIds;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranker;
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
import java.util.concurrent.CompletableFuture;
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
        ServedLoop loop = // once, so that decision and impression have the same version
                policies.loop(loopName)
                        .orElseThrow(() -> ProblemException.notServed(loopName, policies));
        long start = System.nanoTime();
        return isHeavy(loop.spec(), request)
                ? workers.run(() -> decide(loop, request))
                        .compose(ranked -> log(loop, ranked, reply, start))
                : log(loop, decide(loop, request), reply, start);
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

    private RankedDecision decide(ServedLoop loop, RankRequest request) {
        String eventId = request.eventId().orElseGet(RandomIds::next);
        long start = System.nanoTime();
        RankedDecision ranked = Ranker.decide(loop, request, eventId, clock.instant());
        metrics.decided(System.nanoTime() - start);
        return ranked;
    }

    private Future<Reply> log(
            ServedLoop loop,
            RankedDecision ranked,
            Function<Answer, Reply> reply,
            long startNanos) {
        CompletableFuture<Void> logged = impressions.append(ranked.impression());
        Reply ifLogged;
        try {
            ifLogged = reply(new Answer(ranked, true), reply);
        } catch (RuntimeException | Error e) { // the caller gets no answer
            impressions.retract(ranked.impression());
            throw e;
        }
        return Future.fromCompletionStage(logged)
                .map(
                        done -> {
                            metrics.logged(System.nanoTime() - startNanos);
                            return ifLogged;
                        })
                .recover(failure -> unlogged(loop, ranked, reply, failure));
    }

    private Reply reply(Answer answer, Function<Answer, Reply> reply) {
        return reply.apply(answer).ifUndelivered(() -> undelivered(answer));
    }

    private Future<Reply> unlogged(
            ServedLoop loop,
            RankedDecision ranked,
            Function<Answer, Reply> reply,
            Throwable failure) {
        if (loop.spec().get(LoopSettings.UNLOGGED_DECISION) == UnloggedDecision.ANSWER) {
            metrics.answeredUnlogged(loop.spec().loop());
            return Future.succeededFuture(reply(new Answer(ranked, false), reply));
        }
        metrics.refusedUnlogged(loop.spec().loop());
        return Future.failedFuture(
                ProblemException.notLogged(
                                "the decision was not logged in time and does not count; ask again"
                                        + " with this eventId")
                        .with("eventId", ranked.impression().eventId())
                        .because(failure));
    }

    /** Makes a decision not count whose answer did not reach the caller. */
    private void undelivered(Answer answer) {
        metrics.undelivered();
        if (answer.logged()) { // otherwise it is retracted already
            impressions.retract(answer.ranked().impression());
        }
    }
}
