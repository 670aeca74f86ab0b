package io.counterflow.client;

import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranking;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.PropensityKind;
import java.util.List;

/**
 * A decision.
 *
 * @param eventId the event that rewards are sent for
 * @param policyVersion the version that decided
 * @param action position of the chosen action, from 0
 * @param propensity its probability
 * @param propensityKind whether the propensity is exact
 * @param logged whether Kafka has acknowledged the decision; otherwise nothing is learned from it
 * @param ranking the chosen action, then the others by probability
 */
public record RankAnswer(
        String eventId,
        String loop,
        long policyVersion,
        int action,
        String actionId,
        double propensity,
        PropensityKind propensityKind,
        boolean logged,
        List<Ranking.Entry> ranking) {

    public RankAnswer {
        ranking = List.copyOf(ranking);
    }

    public static RankAnswer of(RankedDecision ranked, boolean logged) {
        Decision decision = ranked.decision();
        return new RankAnswer(
                ranked.impression().eventId(),
                ranked.impression().loop(),
                ranked.impression().policyVersion(),
                decision.action(),
                ranked.actionId(),
                decision.propensity(),
                decision.kind(),
                logged,
                Ranking.of(ranked));
    }
}
