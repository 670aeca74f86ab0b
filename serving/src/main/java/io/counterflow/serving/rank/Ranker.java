package io.counterflow.serving.rank;

import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.serving.policies.ServedLoop;
import io.counterflow.serving.policies.ServedPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Takes decisions. One is a function of the event id, the request and the loop as it is served: who
 * holds all three can take it again.
 */
public final class Ranker {

    /** Longer features would be refused by the learner. */
    private static final double LARGEST_NORM = 1e15;

    private Ranker() {}

    /**
     * Takes one decision. An {@link IllegalArgumentException} says what of the request does not fit
     * the loop.
     *
     * @param loop the loop as it is served; choice, propensity and versions are all of this one
     */
    public static RankedDecision decide(
            ServedLoop loop, RankRequest request, String eventId, Instant time) {
        LoopSpec spec = loop.spec();
        List<String> ids = actionIds(spec, request.context());
        List<Integer> excluded = positions(ids, request.excludedActions());
        if (excluded.size() == ids.size()) {
            throw new IllegalArgumentException(
                    "excludedActions must leave at least 1 action, got all " + ids.size());
        }
        Features features = features(loop, request.context());
        ServedPolicy policy = loop.policyFor(eventId);
        Decision decision =
                policy.policy()
                        .decide(features, allowed(ids.size(), excluded), EventRandom.of(eventId));
        Impression impression =
                new Impression(
                        eventId,
                        spec.loop(),
                        policy.version(),
                        spec.version(),
                        time,
                        request.context(),
                        choice(decision, excluded, spec),
                        rule(spec.rewardRule(), request.deferred()),
                        OptionalDouble.empty());
        return new RankedDecision(impression, decision, ids);
    }

    private static List<String> actionIds(LoopSpec spec, Context context) {
        if (context instanceof Context.Named named && !named.actions().isEmpty()) {
            return named.actions().stream().map(NamedAction::id).toList();
        }
        List<String> fixed = spec.shape().actionIds();
        if (fixed.isEmpty()) {
            throw new IllegalArgumentException(
                    "actions must be given, because the loop has no fixed list");
        }
        return fixed;
    }

    private static List<Integer> positions(List<String> ids, List<String> excludedIds) {
        if (excludedIds.isEmpty()) {
            return List.of();
        }
        Set<String> wanted = new HashSet<>(excludedIds);
        List<Integer> positions = new ArrayList<>();
        for (int a = 0; a < ids.size(); a++) {
            if (wanted.remove(ids.get(a))) {
                positions.add(a);
            }
        }
        if (!wanted.isEmpty()) {
            throw new IllegalArgumentException(
                    "excludedActions must be ids of actions, got %d that are none"
                            .formatted(wanted.size()));
        }
        return positions;
    }

    private static AllowedActions allowed(int actions, List<Integer> excluded) {
        return excluded.isEmpty()
                ? AllowedActions.all(actions)
                : AllowedActions.allBut(
                        actions, excluded.stream().mapToInt(Integer::intValue).toArray());
    }

    private static Features features(ServedLoop loop, Context context) {
        LoopSpec spec = loop.spec();
        Features features;
        if (context instanceof Context.Named named) {
            List<NamedAction> actions =
                    named.actions().isEmpty() ? spec.fixedActions() : named.actions();
            features = loop.encoder().encode(named.features(), actions);
        } else {
            FeatureVector vector = ((Context.Vector) context).features();
            requireDimension(spec.shape(), vector.dimension());
            features = spec.bounded(vector);
        }
        if (!features.within(LARGEST_NORM)) {
            throw new IllegalArgumentException("context must have features of a norm up to 1e15");
        }
        return features;
    }

    private static void requireDimension(LoopShape shape, int given) {
        if (!(shape instanceof LoopShape.Dense dense)) {
            throw new IllegalArgumentException(
                    "context must have named features, got a vector of " + given);
        }
        if (dense.features() != given) {
            throw new IllegalArgumentException(
                    "context must have %d features, got %d".formatted(dense.features(), given));
        }
    }

    private static Choice choice(Decision decision, List<Integer> excluded, LoopSpec spec) {
        double[] probabilities = decision.distribution();
        List<Double> distribution = new ArrayList<>();
        if (probabilities.length <= spec.decisions().distributionLimit()) {
            for (double probability : probabilities) {
                distribution.add(probability);
            }
        }
        return new Choice(
                decision.action(),
                OptionalDouble.of(decision.propensity()),
                decision.kind(),
                distribution,
                excluded);
    }

    private static RewardRule rule(RewardRule rule, boolean deferred) {
        return deferred
                ? new RewardRule(
                        rule.attributionWindow(), rule.defaultReward(), rule.aggregation(), true)
                : rule;
    }
}
