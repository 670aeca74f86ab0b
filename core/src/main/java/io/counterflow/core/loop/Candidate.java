package io.counterflow.core.loop;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.Training;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A frozen policy that a loop has learned, or that was registered with it.
 *
 * @param version its number within the loop
 * @param parentVersion the version that was active when it was frozen or registered
 * @param model its mean parameters
 * @param variance variance of the posterior: learned, fixed by the spec, or that of a registered
 *     policy; empty if there is none
 * @param fromRewardModel whether it is the policy of the loop's reward model
 * @param examples number of fresh examples of this generation that it was learned from, without
 *     those of its ancestors; for a reward model, which learns on over generations, all examples
 * @param training how it was learned elsewhere; empty if the loop has learned it
 * @param certificate estimates and bounds from the buffer; empty if the buffer has no examples of
 *     the prior, and for a registered policy, whose certificate is about another log
 */
public record Candidate(
        long version,
        long parentVersion,
        LinearModel model,
        OptionalDouble variance,
        boolean fromRewardModel,
        long examples,
        Optional<Training> training,
        Optional<Certificate> certificate) {

    public VersionParameters parameters() {
        return new VersionParameters(model, variance, fromRewardModel);
    }
}
