package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;

/**
 * Decides by a mixed logit, and states the propensity as an estimate or as an upper bound.
 *
 * <p>With an exploration floor ε the action is drawn uniformly with probability ε, so its
 * probability is (1 − ε) π<sub>Q</sub>(a|x) + ε/K. The random numbers of an event are used in this
 * order: one for the floor, those of the draw, those of the estimate.
 */
public final class MixedLogitLoggingPolicy implements LoggingPolicy {

    private final MixedLogitPolicy policy;
    private final int samples; // 0: the lemma's upper bound
    private final double epsilon;

    private MixedLogitLoggingPolicy(MixedLogitPolicy policy, int samples, double epsilon) {
        if (!(epsilon >= 0.0 && epsilon <= 1.0)) {
            throw new IllegalArgumentException("epsilon must be in [0, 1], got " + epsilon);
        }
        this.policy = policy;
        this.samples = samples;
        this.epsilon = epsilon;
    }

    /** States Monte Carlo estimates from so many samples. */
    public static MixedLogitLoggingPolicy estimating(MixedLogitPolicy policy, int samples) {
        MixedLogitPolicy.requireSamples(samples);
        return new MixedLogitLoggingPolicy(policy, samples, 0.0);
    }

    /** States the upper bound of {@link MixedLogitPolicy#bounds(Features, int)}. */
    public static MixedLogitLoggingPolicy bounding(MixedLogitPolicy policy) {
        return new MixedLogitLoggingPolicy(policy, 0, 0.0);
    }

    /** The same with an exploration floor ε in [0, 1]. */
    public MixedLogitLoggingPolicy withFloor(double explorationFloor) {
        return new MixedLogitLoggingPolicy(policy, samples, explorationFloor);
    }

    @Override
    public int actionCount(Features features) {
        return policy.actionCount(features);
    }

    /**
     * {@inheritDoc}
     *
     * <p>An estimate that comes out as 0, because the action was drawn although no sample gave it a
     * probability, is of no use as a propensity; the upper bound is stated then, and the kind says
     * so.
     */
    @Override
    public Decision decide(Features features, AllowedActions allowed, EventRandom random) {
        MixedLogitScores scores = policy.scores(features, allowed);
        boolean explore = random.nextDouble() < epsilon;
        int action = explore ? uniform(allowed, random) : scores.draw(random);
        if (samples > 0) {
            double[] distribution = new double[allowed.actions()];
            scores.average(samples, random, distribution, new double[distribution.length]);
            for (int a = 0; a < distribution.length; a++) {
                distribution[a] = allowed.contains(a) ? mixed(distribution[a], allowed) : 0.0;
            }
            if (distribution[action] > 0.0) {
                return new Decision(
                        action, distribution[action], PropensityKind.ESTIMATED, distribution);
            }
        }
        double norm = Math.sqrt(policy.squaredNorm(features));
        double upper = mixed(policy.bounds(features, allowed, action, norm).upper(), allowed);
        // Never 0, as it divides; raising an upper bound leaves it one.
        return new Decision(
                action,
                Math.max(Double.MIN_NORMAL, upper),
                PropensityKind.UPPER_BOUND,
                new double[0]);
    }

    private double mixed(double probability, AllowedActions allowed) {
        return ExplorationFloor.mixed(probability, epsilon, allowed.count());
    }

    private static int uniform(AllowedActions allowed, EventRandom random) {
        int left = random.nextInt(allowed.count());
        int action = 0;
        while (!allowed.contains(action) || left-- > 0) {
            action++;
        }
        return action;
    }
}
