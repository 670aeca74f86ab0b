package io.counterflow.cli.offline;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Report;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.rollout.HoldoutShare;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
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
                impression.choice().split().isPresent()
                        ? outcome(impression, impression.choice().split().get())
                        : policies.of(impression, impression.policyVersion())
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
        Decision again =
                decider.policy()
                        .decide(
                                decider.features(impression),
                                impression.choice().allowed(),
                                random(impression));
        return outcome(
                isOfWrongHoldout(impression, decider)
                        ? Outcome.ACTION
                        : compare(impression.choice(), again),
                decider.sure());
    }

    /** Whether the spec gives the event, or the baseline version, of a logged holdout otherwise. */
    private static boolean isOfWrongHoldout(
            Impression impression, AuditedPolicies.Decider decider) {
        if (!impression.choice().holdout() || decider.spec().isEmpty()) {
            return false;
        }
        LoopSpec spec = decider.spec().get();
        return impression.policyVersion() != spec.holdoutVersion()
                || !HoldoutShare.contains(
                        impression.loop(),
                        impression.eventId(),
                        spec.get(LoopSettings.HOLDOUT_SHARE));
    }

    /** Repeats a decision of two versions that shared the events. */
    private Outcome outcome(Impression impression, Split split) {
        Optional<AuditedPolicies.Decider> active = policies.of(impression, split.activeVersion());
        Optional<AuditedPolicies.Decider> candidate =
                policies.of(impression, split.candidateVersion());
        if (active.isEmpty() || candidate.isEmpty()) {
            return Outcome.UNKNOWN_POLICY;
        }
        boolean byCandidate =
                CanaryShare.decidesCanary(impression.loop(), impression.eventId(), split.share());
        boolean namesDecider =
                impression.policyVersion()
                        == (byCandidate ? split.candidateVersion() : split.activeVersion());
        Decision again =
                new SplitPolicy(active.get().policy(), candidate.get().policy(), split)
                        .decide(
                                active.get().features(impression),
                                impression.choice().allowed(),
                                byCandidate,
                                random(impression));
        return outcome(
                namesDecider ? compare(impression.choice(), again) : Outcome.ACTION,
                active.get().sure() && candidate.get().sure());
    }

    private static EventRandom random(Impression impression) {
        return EventRandom.ofAction(impression.loop(), impression.eventId());
    }

    private static Outcome outcome(Outcome compared, boolean sure) {
        return compared == Outcome.MATCH || sure ? compared : Outcome.UNKNOWN_POLICY;
    }

    private static Outcome compare(Choice choice, Decision again) {
        if (choice.policyAction().isPresent()) { // the shown action was not drawn
            return again.action() == choice.policyAction().getAsInt()
                    ? Outcome.MATCH
                    : Outcome.ACTION;
        }
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
