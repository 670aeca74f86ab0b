package io.counterflow.flink.loop;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Judgement;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.wire.Optionals;

/** Builds the scored examples that windows aggregate. */
final class ScoredExamples {

    private ScoredExamples() {}

    /**
     * @param spec the spec in force when the example was taken
     */
    static ScoredExample of(
            LoopEvent event,
            ExampleReader.Read read,
            Judgement judged,
            LoopSpec spec,
            ScoredExample.EstimateSettings settings) {
        Choice choice = read.impression().choice();
        return new ScoredExample(
                event.loop(),
                read.impression().policyVersion(),
                event.timeMicros(),
                choice.action(),
                actions(read.example(), spec),
                read.example().propensity(),
                read.example().reward(),
                judged.activeVersion(),
                judged.active(),
                Optionals.orNull(judged.candidateVersion()),
                judged.candidate(),
                judged.uniform(),
                choice.distribution(),
                audit(read.impression(), judged, spec),
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
            Impression impression, Judgement judged, LoopSpec spec) {
        Choice choice = impression.choice();
        boolean computable =
                judged.logging().isPresent()
                        && choice.propensityKind() == PropensityKind.EXACT
                        && spec.decisionRule().kind() == PolicyKind.SOFTMAX
                        && impression.specVersion() == spec.version();
        if (!computable) {
            return ScoredExample.Audit.NOT_DONE;
        }
        double logged = choice.propensity().orElseThrow();
        double again = judged.logging().getAsDouble();
        return Math.abs(again - logged) <= Choice.TOLERANCE * logged
                ? ScoredExample.Audit.MATCH
                : ScoredExample.Audit.MISMATCH;
    }
}
