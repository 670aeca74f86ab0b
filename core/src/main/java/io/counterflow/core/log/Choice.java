package io.counterflow.core.log;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The action that a policy chose, with its probability.
 *
 * @param action position of the chosen action, from 0
 * @param propensity probability with which it was chosen, in (0, 1]; empty if it was not logged
 * @param propensityKind how the propensity was obtained
 * @param distribution probability of every action; empty if it was not logged
 * @param allowed the actions that could be chosen
 * @param split the versions that shared the events; empty if one version decided all of them
 * @param holdout whether the event is in the holdout, so that the baseline version alone decided it
 * @param policyAction position of the action that the policy drew, if another one was shown for
 *     certain: a loop that is an apprentice shows the action that its caller would show; empty if
 *     the policy's action was shown
 */
public record Choice(
        int action,
        OptionalDouble propensity,
        PropensityKind propensityKind,
        List<Double> distribution,
        AllowedActions allowed,
        Optional<Split> split,
        boolean holdout,
        OptionalInt policyAction) {

    /**
     * Tolerance for the sum of a distribution and, relative, for the entry of the chosen action.
     */
    public static final double TOLERANCE = 1e-6;

    public Choice {
        distribution = List.copyOf(distribution);
        Require.atLeast(0, action, "action");
        propensity.ifPresent(Require::propensity);
        if (!distribution.isEmpty()) {
            requireDistribution(action, propensity, propensityKind, distribution);
            for (int excluded : allowed.excluded()) {
                if (excluded < distribution.size() && distribution.get(excluded) > 0.0) {
                    throw new IllegalArgumentException(
                            "distribution[%d] must be 0, because the action is excluded, got %s"
                                    .formatted(excluded, distribution.get(excluded)));
                }
            }
        }
        if (!allowed.contains(action)) {
            throw new IllegalArgumentException(
                    "excludedActions must not hold the chosen action, got " + action);
        }
        Require.that(
                !holdout || split.isEmpty(),
                "holdout must be false with a split, because one version decides the holdout, got"
                        + " true");
        if (policyAction.isPresent()) {
            requireCertain(policyAction.getAsInt(), propensity, propensityKind, allowed);
            Require.that(
                    !holdout && split.isEmpty(),
                    "policyAction must be absent with a split or a holdout, in which versions"
                            + " decide, got %s",
                    policyAction.getAsInt());
        }
    }

    private static void requireCertain(
            int policyAction,
            OptionalDouble propensity,
            PropensityKind kind,
            AllowedActions allowed) {
        Require.atLeast(0, policyAction, "policyAction");
        Require.that(
                allowed.contains(policyAction),
                "policyAction must not be one of excludedActions, got %s",
                policyAction);
        Require.that(
                kind == PropensityKind.EXACT && propensity.orElse(0.0) == 1.0,
                "propensity must be 1 and exact with policyAction, because the action was shown for"
                        + " certain, got %s",
                propensity.isPresent() ? propensity.getAsDouble() : "none");
    }

    /** A choice that a policy drew. */
    public Choice(
            int action,
            OptionalDouble propensity,
            PropensityKind propensityKind,
            List<Double> distribution,
            AllowedActions allowed,
            Optional<Split> split,
            boolean holdout) {
        this(
                action,
                propensity,
                propensityKind,
                distribution,
                allowed,
                split,
                holdout,
                OptionalInt.empty());
    }

    /** A choice of an event outside the holdout. */
    public Choice(
            int action,
            OptionalDouble propensity,
            PropensityKind propensityKind,
            List<Double> distribution,
            AllowedActions allowed,
            Optional<Split> split) {
        this(action, propensity, propensityKind, distribution, allowed, split, false);
    }

    /** A choice of a version that decided all events. */
    public Choice(
            int action,
            OptionalDouble propensity,
            PropensityKind propensityKind,
            List<Double> distribution,
            AllowedActions allowed) {
        this(action, propensity, propensityKind, distribution, allowed, Optional.empty());
    }

    /** A choice with an exact propensity, without a distribution. */
    public static Choice of(int action, double propensity) {
        return new Choice(
                action,
                OptionalDouble.of(propensity),
                PropensityKind.EXACT,
                List.of(),
                AllowedActions.ALL);
    }

    private static void requireDistribution(
            int action, OptionalDouble propensity, PropensityKind kind, List<Double> distribution) {
        if (action >= distribution.size()) {
            throw new IllegalArgumentException(
                    "action must be below %d, the length of distribution, got %d"
                            .formatted(distribution.size(), action));
        }
        double sum = 0.0;
        for (int a = 0; a < distribution.size(); a++) {
            double p = distribution.get(a);
            if (!(p >= 0.0 && p <= 1.0)) {
                throw new IllegalArgumentException(
                        "distribution[%d] must be in [0, 1], got %s".formatted(a, p));
            }
            sum += p;
        }
        if (kind == PropensityKind.UPPER_BOUND) {
            return; // upper bounds of probabilities add up to more than 1
        }
        if (!(Math.abs(sum - 1.0) <= TOLERANCE)) {
            throw new IllegalArgumentException("distribution must sum to 1, got " + sum);
        }
        double logged = propensity.orElse(distribution.get(action));
        if (!(Math.abs(distribution.get(action) - logged) <= TOLERANCE * logged)) {
            throw new IllegalArgumentException(
                    "distribution[%d] must equal the propensity %s, got %s"
                            .formatted(action, logged, distribution.get(action)));
        }
    }
}
