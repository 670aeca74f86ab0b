package io.counterflow.flink.loop;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.wire.Optionals;

/** Builds the scored examples that windows aggregate. */
final class ScoredExamples {

    private ScoredExamples() {}

    /**
     * @param rollout the rollout before the example
     * @param spec the spec in force before the example
     */
    static ScoredExample of(
            String loop,
            ExampleReader.Read read,
            ComparedExample compared,
            Rollout rollout,
            LoopSpec spec,
            ScoredExample.EstimateSettings settings) {
        Choice choice = read.impression().choice();
        int actions = actions(read.example(), spec);
        return new ScoredExample(
                loop,
                read.example().policyVersion(),
                read.impression().policyVersion(),
                choice.holdout(),
                choice.policyAction().isPresent(),
                choice.action(),
                actions,
                read.example().propensity(),
                read.example().reward(),
                rollout.activeVersion(),
                compared.active().probability(),
                Optionals.orNull(rollout.candidateVersion()),
                compared.candidate().probability(),
                1.0 / read.example().allowed().count(actions),
                choice.distribution(),
                audit(read.impression(), compared, spec),
                settings);
    }

    static ScoredExample.EstimateSettings settings(LoopSpec spec) {
        return new ScoredExample.EstimateSettings(
                spec.get(LoopSettings.TAU),
                spec.get(LoopSettings.SMOOTHING),
                spec.get(LoopSettings.DELTA),
                spec.get(LoopSettings.EXPLORATION_FLOOR));
    }

    /** The number of all actions of the request, including excluded ones. */
    private static int actions(LoggedExample example, LoopSpec spec) {
        return example.features() instanceof ActionFeatures phi
                ? phi.actions()
                : spec.shape().actionIds().size();
    }

    private static ScoredExample.Audit audit(
            Impression impression, ComparedExample compared, LoopSpec spec) {
        boolean computable =
                !Double.isNaN(compared.recomputed())
                        && impression.choice().propensityKind() == PropensityKind.EXACT
                        && spec.decisionRule().kind() == PolicyKind.SOFTMAX
                        && compared.evidence() == ComparedExample.Evidence.USABLE;
        if (!computable) {
            return ScoredExample.Audit.NOT_DONE;
        }
        return compared.isMismatch() ? ScoredExample.Audit.MISMATCH : ScoredExample.Audit.MATCH;
    }
}
