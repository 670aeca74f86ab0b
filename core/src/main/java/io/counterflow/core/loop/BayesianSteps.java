package io.counterflow.core.loop;

import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.SamplePass;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * The Bayesian objectives in a stream: n is the number of examples of the generation so far, so the
 * strength 1/(σ<sub>0</sub>² τ (n−1)) falls as the generation grows.
 *
 * <p>The gradient of {@code bcrm} also depends on the variance, which needs a pass over the buffer.
 * The pass is made each time n has grown by about a tenth, and the result is part of the stored
 * state.
 */
final class BayesianSteps {

    private final LoopSpec spec;
    private final ObjectiveName name;
    private final OptionalDouble fixedVariance;

    BayesianSteps(LoopSpec spec) {
        this.spec = spec;
        this.name = spec.get(LoopSettings.OBJECTIVE_NAME);
        this.fixedVariance = spec.get(LoopSettings.VARIANCE);
    }

    /**
     * σ² of the objective in the next step; 0 if it does not occur in its gradient.
     *
     * @param before the result for the last step, when there were {@code examplesBefore}
     * @param sample the buffer under the current parameters
     */
    double variance(
            double before, long examplesBefore, long examples, Supplier<SamplePass> sample) {
        if (name != ObjectiveName.BCRM) {
            return 0.0;
        }
        if (fixedVariance.isPresent()) {
            return fixedVariance.getAsDouble();
        }
        return leadingDigits(examplesBefore) == leadingDigits(examples)
                ? before
                : posteriorVariance(examples, sample);
    }

    /** The number with all but its first four binary digits set to zero. */
    private static long leadingDigits(long n) {
        int others = Math.max(0, Long.SIZE - 4 - Long.numberOfLeadingZeros(n));
        return n >>> others << others;
    }

    /** The loss for a variance; of {@code bcrm-convex} for any. */
    ExampleLoss loss(double variance) {
        BayesianSetting setting = spec.bayesian(0);
        return name == ObjectiveName.BCRM
                ? setting.lossAt(variance)
                : setting.convexObjective().fixedLoss().orElseThrow();
    }

    double strength(long examples) {
        return spec.bayesian(examples).strength();
    }

    /** The variance of the posterior around the current parameters, unless the spec fixes it. */
    double posteriorVariance(long examples, Supplier<SamplePass> sample) {
        if (fixedVariance.isPresent()) {
            return fixedVariance.getAsDouble();
        }
        SamplePass pass = sample.get();
        return pass.log().size() == 0
                ? spec.get(LoopSettings.PRIOR_VARIANCE)
                : name.posteriorVariance(spec.bayesian(examples), pass);
    }
}
