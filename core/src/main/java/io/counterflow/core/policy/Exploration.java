package io.counterflow.core.policy;

/**
 * How a served policy departs from the one that was learned: all scores times β, then a share ε of
 * uniform draws.
 *
 * <p>The same composition decides where events are served and where a policy's probabilities are
 * computed again, so that both have the same bits. What has no effect is left out.
 *
 * @param inverseTemperature β, finite and at least 0: 0 is uniform, larger is greedier
 * @param floor ε of {@link ExplorationFloor}, in [0, 1]
 */
public record Exploration(double inverseTemperature, double floor) {

    /** None: the policy as it was learned. */
    public static final Exploration NONE = new Exploration(1.0, 0.0);

    public Exploration {
        if (!(inverseTemperature >= 0.0 && inverseTemperature <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "inverseTemperature must be finite and at least 0, got " + inverseTemperature);
        }
        if (!(floor >= 0.0 && floor <= 1.0)) {
            throw new IllegalArgumentException("floor must be in [0, 1], got " + floor);
        }
    }

    /** (1 − ε) softmax(β μ · φ) + ε/K. */
    public Policy softmax(LinearModel mean) {
        Policy policy = new SoftmaxPolicy(scaled(mean));
        return floor > 0.0 ? new ExplorationFloor(policy, floor) : policy;
    }

    /** The mixed logit with weights β w, w ~ N(μ, σ²I), which states estimated propensities. */
    public LoggingPolicy estimatedMixedLogit(LinearModel mean, double variance, int samples) {
        return MixedLogitLoggingPolicy.estimating(mixedLogit(mean, variance), samples)
                .withFloor(floor);
    }

    /** The same, which states upper bounds on its propensities. */
    public LoggingPolicy boundedMixedLogit(LinearModel mean, double variance) {
        return MixedLogitLoggingPolicy.bounding(mixedLogit(mean, variance)).withFloor(floor);
    }

    private MixedLogitPolicy mixedLogit(LinearModel mean, double variance) {
        return new MixedLogitPolicy(
                scaled(mean), variance * inverseTemperature * inverseTemperature);
    }

    private LinearModel scaled(LinearModel mean) {
        return inverseTemperature == 1.0 ? mean : mean.scaled(inverseTemperature);
    }
}
