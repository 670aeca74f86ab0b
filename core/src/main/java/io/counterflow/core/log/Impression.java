package io.counterflow.core.log;

import io.counterflow.core.features.NamedAction;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.PropensityKind;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One decision.
 *
 * @param eventId identity of the decision within its loop; both together seed its draw
 * @param loop the decision problem that it belongs to
 * @param policyVersion version of the policy that drew the action or, in a loop that is an
 *     apprentice, would have decided
 * @param specVersion version of the loop's spec in force
 * @param time when it was taken; kept to the microsecond
 * @param choice the chosen action, with its probability
 * @param rewardRule how rewards are joined with it
 * @param reward its reward in [0, 1]; empty while it is not known
 * @param guardrailReward its guardrail reward in [0, 1]; empty while it is not known, and in a loop
 *     without a guardrail
 */
public record Impression(
        String eventId,
        String loop,
        long policyVersion,
        long specVersion,
        Instant time,
        Context context,
        Choice choice,
        RewardRule rewardRule,
        OptionalDouble reward,
        OptionalDouble guardrailReward) {

    /** A decision without a guardrail reward. */
    public Impression(
            String eventId,
            String loop,
            long policyVersion,
            long specVersion,
            Instant time,
            Context context,
            Choice choice,
            RewardRule rewardRule,
            OptionalDouble reward) {
        this(
                eventId,
                loop,
                policyVersion,
                specVersion,
                time,
                context,
                choice,
                rewardRule,
                reward,
                OptionalDouble.empty());
    }

    public Impression {
        Require.notEmpty(eventId, "eventId");
        Require.notEmpty(loop, "loop");
        time = EventTime.require("time", time);
        if (context.actionCount() > 0) {
            requireWithin(context.actionCount(), choice);
        }
        if (choice.split().isPresent() && !choice.split().get().includes(policyVersion)) {
            throw new IllegalArgumentException(
                    "policyVersion must be one of the versions of split, got " + policyVersion);
        }
        reward.ifPresent(Require::reward);
        guardrailReward.ifPresent(value -> Require.share(value, "guardrailReward"));
        Require.that(
                guardrailReward.isEmpty() || reward.isPresent(),
                "guardrailReward must be absent without a reward, because both are joined at once");
    }

    private static void requireWithin(int actions, Choice choice) {
        if (choice.action() >= actions) {
            throw new IllegalArgumentException(
                    "action must be below %d, the number of actions, got %d"
                            .formatted(actions, choice.action()));
        }
        int probabilities = choice.distribution().size();
        if (probabilities != 0 && probabilities != actions) {
            throw new IllegalArgumentException(
                    "distribution must have %d entries, one for each action, got %d"
                            .formatted(actions, probabilities));
        }
        choice.allowed().requireWithin(actions);
        if (choice.policyAction().orElse(0) >= actions) {
            throw new IllegalArgumentException(
                    "policyAction must be below %d, the number of actions, got %d"
                            .formatted(actions, choice.policyAction().orElse(0)));
        }
    }

    /** The same decision with its reward. */
    public Impression withReward(double known) {
        return withReward(known, guardrailReward);
    }

    /** The same decision with its reward and its guardrail reward, if it has one. */
    public Impression withReward(double known, OptionalDouble guardrail) {
        return new Impression(
                eventId,
                loop,
                policyVersion,
                specVersion,
                time,
                context,
                choice,
                rewardRule,
                OptionalDouble.of(known),
                guardrail);
    }

    /** The same decision with a propensity of another kind and without the logged distribution. */
    public Impression withPropensity(double propensity, PropensityKind kind) {
        Choice other =
                new Choice(
                        choice.action(),
                        OptionalDouble.of(propensity),
                        kind,
                        List.of(),
                        choice.allowed(),
                        choice.split(),
                        choice.holdout(),
                        choice.policyAction());
        return new Impression(
                eventId,
                loop,
                policyVersion,
                specVersion,
                time,
                context,
                other,
                rewardRule,
                reward,
                guardrailReward);
    }

    /**
     * The example (x, a, p, r). If two versions shared the events, it belongs to the active one,
     * whichever drew the action: p is the probability under both together, so that the examples of
     * one of them alone would not be a sample of p.
     *
     * @param assembly the assembly of the loop, or of a log with the same shape
     * @param fixedActions the fixed list of the loop, for named features without actions; may be
     *     empty
     */
    public LoggedExample toExample(FeatureAssembly assembly, List<NamedAction> fixedActions) {
        Require.that(
                choice.propensity().isPresent(),
                "propensity must be given or learned, got an impression without one");
        Require.that(reward.isPresent(), "reward must be given, got an impression without one");
        return new LoggedExample(
                assembly.features(context, fixedActions),
                choice.allowed(),
                choice.action(),
                choice.propensity().getAsDouble(),
                reward.getAsDouble(),
                loggedBy());
    }

    /**
     * The version that logged the decision: the active one if two versions shared the events, and
     * otherwise the one that drew the action.
     */
    public long loggedBy() {
        return choice.split().isPresent() ? choice.split().get().activeVersion() : policyVersion;
    }
}
