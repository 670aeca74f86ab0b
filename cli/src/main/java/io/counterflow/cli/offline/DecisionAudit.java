package io.counterflow.cli.offline;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Decision;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Draws logged decisions again, by the policies that are said to have made them. */
public final class DecisionAudit {

    /** What an audit of one decision shows. */
    enum Outcome {
        /** The same action with the same propensity. */
        MATCH("match"),
        /** Another action: not drawn by loop and event id, or not by this policy. */
        ACTION("other action"),
        /** The same action, but with another propensity: every estimate from it is wrong. */
        PROPENSITY("other propensity"),
        /**
         * The policy that decided is not among those given, or the loop's spec has changed since
         * and is not given.
         */
        UNKNOWN_POLICY("unknown policy");

        private final String words;

        Outcome(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** Propensities that differ relatively by less are the same: logs keep decimal digits. */
    private static final double TOLERANCE = 1e-9;

    private final AuditedPolicies policies;
    private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
    private Optional<String> firstMismatch = Optional.empty();

    DecisionAudit(AuditedPolicies policies) {
        this.policies = policies;
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, 0L);
        }
    }

    /**
     * Checks one decision.
     *
     * @throws IllegalArgumentException if its features do not fit the policy
     */
    Outcome check(Impression impression) {
        Outcome outcome =
                policies.of(impression)
                        .map(decider -> outcome(impression, decider))
                        .orElse(Outcome.UNKNOWN_POLICY);
        counts.merge(outcome, 1L, Long::sum);
        boolean wrong = outcome == Outcome.ACTION || outcome == Outcome.PROPENSITY;
        if (wrong && firstMismatch.isEmpty()) {
            firstMismatch = Optional.of("%s: %s".formatted(impression.eventId(), outcome.words()));
        }
        return outcome;
    }

    private static Outcome outcome(Impression impression, AuditedPolicies.Decider decider) {
        Outcome outcome = compare(impression, decider);
        return outcome == Outcome.MATCH || decider.sure() ? outcome : Outcome.UNKNOWN_POLICY;
    }

    private static Outcome compare(Impression impression, AuditedPolicies.Decider decider) {
        Choice choice = impression.choice();
        Features features = decider.features(impression);
        Decision again =
                decider.policy()
                        .decide(
                                features,
                                choice.allowed(),
                                EventRandom.ofAction(impression.loop(), impression.eventId()));
        if (again.action() != choice.action()) {
            return Outcome.ACTION;
        }
        double logged =
                choice.propensity()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "propensity must be given, and is missing"));
        return Math.abs(again.propensity() - logged) <= TOLERANCE * logged
                ? Outcome.MATCH
                : Outcome.PROPENSITY;
    }

    long count(Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }

    /** The first decision that was not what it claimed to be. */
    Optional<String> firstMismatch() {
        return firstMismatch;
    }
}
