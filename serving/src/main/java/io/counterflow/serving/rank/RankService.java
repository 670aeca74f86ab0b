package io.counterflow.serving.rank;

import io.counterflow.schemas.DecisionRule.UnloggedDecision;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.kafka.ImpressionLog;
import io.counterflow.serving.policies.PolicyStore;
import io.counterflow.serving.policies.ServedLoop;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.UUID;

/**
 * Decides and logs: what is answered has been written down, or is marked, or refused, as the loop's
 * spec says.
 */
public final class RankService {

    private final PolicyStore policies;
    private final ImpressionLog impressions;
    private final RankMetrics metrics;
    private final Clock clock;

    public RankService(
            PolicyStore policies, ImpressionLog impressions, RankMetrics metrics, Clock clock) {
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
        String eventId = request.eventId().orElseGet(() -> UUID.randomUUID().toString());
        long start = System.nanoTime();
        RankedDecision ranked = Ranker.decide(loop, request, eventId, clock.instant());
        metrics.decided(System.nanoTime() - start);
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
