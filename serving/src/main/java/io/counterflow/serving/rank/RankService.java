package io.counterflow.serving.rank;

import io.counterflow.core.policy.PropensityKind;
import io.counterflow.schemas.DecisionRule;
import io.counterflow.schemas.DecisionRule.UnloggedDecision;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.kafka.ImpressionLog;
import io.counterflow.serving.policies.PolicyStore;
import io.counterflow.serving.policies.ServedLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.UUID;

/**
 * Decides and logs: what is answered has been written down, or is marked, or refused, as the loop's
 * spec says.
 */
public final class RankService {

    /** Draws behind one propensity, of all actions together: about a millisecond. */
    private static final long MOST_DRAWS = 10_000;

    private final PolicyStore policies;
    private final ImpressionLog impressions;
    private final RankMetrics metrics;
    private final Clock clock;
    private final Vertx vertx;

    public RankService(
            Vertx vertx,
            PolicyStore policies,
            ImpressionLog impressions,
            RankMetrics metrics,
            Clock clock) {
        this.vertx = vertx;
        this.policies = policies;
        this.impressions = impressions;
        this.metrics = metrics;
        this.clock = clock;
    }

    /**
     * A decision, and whether Kafka has it.
     *
     * @param logged whether it was written down
     */
    public record Answer(RankedDecision ranked, boolean logged) {}

    /** Takes a decision and writes it down. */
    public Future<Answer> rank(String loopName, RankRequest request) {
        ServedLoop loop = // once: all that is decided and logged belongs to this one
                policies.loop(loopName)
                        .orElseThrow(() -> Problem.unknownLoop(loopName).asException());
        return isHeavy(loop.spec().decisions(), request)
                ? vertx.executeBlocking(() -> decide(loop, request), false)
                        .compose(ranked -> log(loop, ranked))
                : log(loop, decide(loop, request));
    }

    /** Whether a decision takes so long that other requests of the same thread would feel it. */
    private static boolean isHeavy(DecisionRule rule, RankRequest request) {
        return rule.propensityKind() == PropensityKind.ESTIMATED
                && (long) rule.propensityDraws() * Math.max(1, request.context().actionCount())
                        > MOST_DRAWS;
    }

    private RankedDecision decide(ServedLoop loop, RankRequest request) {
        String eventId = request.eventId().orElseGet(() -> UUID.randomUUID().toString());
        long start = System.nanoTime();
        RankedDecision ranked = Ranker.decide(loop, request, eventId, clock.instant());
        metrics.decided(System.nanoTime() - start);
        return ranked;
    }

    private Future<Answer> log(ServedLoop loop, RankedDecision ranked) {
        return impressions
                .append(ranked.impression())
                .map(done -> new Answer(ranked, true))
                .recover(failure -> unlogged(loop, ranked));
    }

    private Future<Answer> unlogged(ServedLoop loop, RankedDecision ranked) {
        if (loop.spec().decisions().unloggedDecision() == UnloggedDecision.ANSWER) {
            metrics.answeredUnlogged();
            return Future.succeededFuture(new Answer(ranked, false));
        }
        metrics.refusedUnlogged();
        return Future.failedFuture(
                Problem.notLogged("the decision could not be logged in time; nothing was decided")
                        .asException());
    }
}
