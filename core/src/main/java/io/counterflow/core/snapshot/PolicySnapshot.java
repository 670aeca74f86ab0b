package io.counterflow.core.snapshot;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.log.EventTime;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.VersionParameters;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Immutable, versioned parameters of a policy, as published.
 *
 * @param version its version within the loop, at least 0
 * @param parentVersion the version that was active when it was frozen
 * @param createdAt event time at which it was frozen; kept to the microsecond
 * @param model mean parameters
 * @param encoder how named features are hashed; present if and only if the model is hashed
 * @param decisionRule how it is served: temperature, floor, softmax or mixed logit
 * @param variance variance of the posterior over parameters; empty if there is none. Used by a
 *     mixed logit
 * @param normBound features are scaled down to this norm; empty for no limit
 * @param training how it was learned
 * @param certificate estimates and bounds on its value
 */
public record PolicySnapshot(
        String loop,
        long version,
        OptionalLong parentVersion,
        Instant createdAt,
        LinearModel model,
        Optional<EncoderSpec> encoder,
        DecisionRule decisionRule,
        OptionalDouble variance,
        OptionalDouble normBound,
        Training training,
        Optional<Certificate> certificate) {

    public PolicySnapshot {
        Require.notEmpty(loop, "loop");
        Require.atLeast(0, version, "version");
        if (parentVersion.isPresent() && parentVersion.getAsLong() == version) {
            throw new IllegalArgumentException(
                    "parentVersion must differ from the version " + version);
        }
        createdAt = EventTime.require("createdAt", createdAt);
        requireEncoder(model, encoder);
        if (decisionRule.kind() == PolicyKind.MIXED_LOGIT
                && !decisionRule.variance().equals(variance)) {
            throw new IllegalArgumentException(
                    "variance must be that of the mixed logit, %s, got %s"
                            .formatted(decisionRule.variance(), variance));
        }
        variance.ifPresent(value -> Require.finiteAboveZero(value, "variance"));
        normBound.ifPresent(value -> Require.finiteAboveZero(value, "normBound"));
    }

    private static void requireEncoder(LinearModel model, Optional<EncoderSpec> encoder) {
        if (model instanceof HashedModel hashed) {
            int bits = encoder.map(EncoderSpec::bits).orElse(0);
            if (bits != hashed.bits()) {
                throw new IllegalArgumentException(
                        "a hashed model of %d bits needs an encoder with as many bits, got %s"
                                .formatted(hashed.bits(), encoder));
            }
        } else if (encoder.isPresent()) {
            throw new IllegalArgumentException("a dense model has no encoder");
        }
    }

    /** The parameters with their variance. */
    public VersionParameters parameters() {
        return new VersionParameters(model, variance);
    }

    public Policy policy() {
        return new Policy(model, decisionRule);
    }

    /** A new assembly of features for the policy, for one thread. */
    public FeatureAssembly assembly() {
        return model instanceof DenseModel dense
                ? FeatureAssembly.ofVectors(dense.dimension(), normBound)
                : FeatureAssembly.ofNames(encoder.orElseThrow(), normBound);
    }

    /** A snapshot without history: no parent, no training, no certificate. */
    public static PolicySnapshot of(
            String loop, long version, LinearModel model, Optional<EncoderSpec> encoder) {
        return new PolicySnapshot(
                loop,
                version,
                OptionalLong.empty(),
                Instant.EPOCH,
                model,
                encoder,
                DecisionRule.PLAIN,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                Training.none(),
                Optional.empty());
    }
}
