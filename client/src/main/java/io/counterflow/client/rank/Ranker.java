package io.counterflow.client.rank;

import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Takes decisions. A decision is a function of the loop's name, the event id, the request and the
 * served loop, so that it can be repeated.
 */
public final class Ranker {

    private Ranker() {}

    /**
     * Takes one decision.
     *
     * @param loop the served loop, which gives the choice, the propensity and the versions
     * @throws IllegalArgumentException if the request does not fit the loop
     */
    public static RankedDecision decide(
            ServedLoop loop, RankRequest request, String eventId, Instant time) {
        LoopSpec spec = loop.spec();
        List<String> ids = actionIds(spec, request.context());
        AllowedActions allowed = AllowedActions.allBut(positions(ids, request.excludedActions()));
        allowed.requireWithin(ids.size());
        Decision decision = loop.decide(loop.features(request.context()), allowed, eventId);
        Impression impression =
                new Impression(
                        eventId,
                        spec.loop(),
                        loop.policyFor(eventId).version(),
                        spec.version(),
                        time,
                        request.context(),
                        choice(decision, allowed, loop, eventId),
                        rule(spec.rewardRule(), request.deferred()),
                        OptionalDouble.empty());
        return new RankedDecision(impression, decision, ids);
    }

    private static List<String> actionIds(LoopSpec spec, Context context) {
        if (context instanceof Context.Named named && !named.actions().isEmpty()) {
            return named.actions().stream().map(NamedAction::id).toList();
        }
        List<String> fixed = spec.actionIds();
        Require.that(!fixed.isEmpty(), "actions must be given, because the loop has no fixed list");
        return fixed;
    }

    private static int[] positions(List<String> ids, List<String> excludedIds) {
        if (excludedIds.isEmpty()) {
            return new int[0];
        }
        Set<String> wanted = new HashSet<>(excludedIds);
        int[] positions =
                IntStream.range(0, ids.size()).filter(a -> wanted.remove(ids.get(a))).toArray();
        if (!wanted.isEmpty()) {
            throw new IllegalArgumentException(
                    "excludedActions must be ids of actions, got %d unknown ids"
                            .formatted(wanted.size()));
        }
        return positions;
    }

    private static Choice choice(
            Decision decision, AllowedActions allowed, ServedLoop loop, String eventId) {
        double[] probabilities = decision.distribution();
        List<Double> distribution = new ArrayList<>();
        if (probabilities.length <= loop.spec().get(LoopSettings.DISTRIBUTION_LIMIT)) {
            for (double probability : probabilities) {
                distribution.add(probability);
            }
        }
        boolean holdout = loop.isHoldout(eventId);
        return new Choice(
                decision.action(),
                OptionalDouble.of(decision.propensity()),
                decision.kind(),
                distribution,
                allowed,
                holdout ? Optional.empty() : loop.split(),
                holdout);
    }

    private static RewardRule rule(RewardRule rule, boolean deferred) {
        return deferred ? rule.ofDeferred() : rule;
    }
}
