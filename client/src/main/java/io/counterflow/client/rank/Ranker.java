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
import java.util.OptionalInt;
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
        return decide(loop, request, Optional.empty(), eventId, time);
    }

    /**
     * Takes one decision.
     *
     * @param baseline id of the action that a loop that is an apprentice shows; empty for the first
     *     one that is not excluded
     */
    static RankedDecision decide(
            ServedLoop loop,
            RankRequest request,
            Optional<String> baseline,
            String eventId,
            Instant time) {
        LoopSpec spec = loop.spec();
        List<String> ids = actionIds(spec, request.context());
        Require.that(
                baseline.isEmpty() || ids.contains(baseline.get()),
                "baselineAction must be the id of an action, got another");
        AllowedActions allowed = AllowedActions.allBut(positions(ids, request.excludedActions()));
        allowed.requireWithin(ids.size());
        Decision drawn = loop.decide(loop.features(request.context()), allowed, eventId);
        Decision decision =
                spec.isApprentice()
                        ? Decision.certain(
                                baseline.map(id -> requireAllowed(ids.indexOf(id), allowed))
                                        .orElseGet(allowed::first),
                                ids.size())
                        : drawn;
        Impression impression =
                new Impression(
                        eventId,
                        spec.loop(),
                        loop.policyFor(eventId).version(),
                        spec.version(),
                        time,
                        request.context(),
                        choice(
                                decision,
                                allowed,
                                loop,
                                eventId,
                                spec.isApprentice()
                                        ? OptionalInt.of(drawn.action())
                                        : OptionalInt.empty()),
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

    private static int requireAllowed(int baseline, AllowedActions allowed) {
        Require.that(
                allowed.contains(baseline), "baselineAction must not be one of excludedActions");
        return baseline;
    }

    private static Choice choice(
            Decision decision,
            AllowedActions allowed,
            ServedLoop loop,
            String eventId,
            OptionalInt policyAction) {
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
                holdout,
                policyAction);
    }

    private static RewardRule rule(RewardRule rule, boolean deferred) {
        return deferred ? rule.ofDeferred() : rule;
    }
}
