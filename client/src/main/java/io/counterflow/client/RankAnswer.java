package io.counterflow.client;

import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranking;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.PropensityKind;
import java.util.List;

/**
 * What was chosen.
 *
 * @param eventId the event that rewards are sent for
 * @param loop the loop that decided
 * @param policyVersion the version that chose
 * @param action position of the action, from 0
 * @param actionId its id
 * @param propensity the probability with which it was chosen
 * @param propensityKind what the propensity is
 * @param logged whether Kafka has the decision; what was not logged is not learned from
 * @param ranking the chosen action first, then the others, the most probable first
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
