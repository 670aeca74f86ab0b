package io.counterflow.cli.offline;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Report;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Decision;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Repeats logged decisions with the policies that made them, and compares the results. */
final class DecisionAudit {

    enum Outcome {
        MATCH("matches", "match"),
        /** Another action: not drawn by loop and event id, or not by this policy. */
        ACTION("otherActions", "other action"),
        /** The same action with another propensity: every estimate that uses it is wrong. */
        PROPENSITY("otherPropensities", "other propensity"),
        /**
         * The policy that decided is not among the given ones, or the loop's spec has changed since
         * and is not given.
         */
        UNKNOWN_POLICY("unknownPolicies", "unknown policy");

        private final String field;
        private final String label;

        Outcome(String field, String label) {
            this.field = field;
            this.label = label;
        }
    }

    /** The largest relative difference of equal propensities: logs keep decimal digits. */
    private static final double TOLERANCE = 1e-9;

    private final AuditedPolicies policies;
    private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
    private Optional<String> firstMismatch = Optional.empty();

    DecisionAudit(AuditedPolicies policies) {
        this.policies = policies;
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
            firstMismatch = Optional.of("%s: %s".formatted(impression.eventId(), outcome.label));
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

    Report report() {
        long decisions = counts.values().stream().mapToLong(Long::longValue).sum();
        FieldReport report =
                new FieldReport()
                        .section("audit", "decisions")
                        .field("decisions", "all", decisions);
        for (Outcome outcome : Outcome.values()) {
            report.field(outcome.field, outcome.label, counts.getOrDefault(outcome, 0L));
        }
        return report;
    }

    /** The first decision that differs from the log. */
    Optional<String> firstMismatch() {
        return firstMismatch;
    }
}
