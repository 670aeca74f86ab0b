package io.counterflow.cli;

import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.learn.Objective;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A policy that was learned from a log, with what the same log says of it.
 *
 * @param sample what it was trained on
 * @param prior what it was pulled towards, or started at
 * @param objective what was minimised
 * @param trained the parameters
 * @param tau smallest propensity used as a divisor
 * @param bounds bounds on its risk
 * @param inSample estimates of its value
 */
record TrainedPolicy(
        LoadedLog sample,
        PriorChoice prior,
        Objective objective,
        PolicyTrainer.Trained trained,
        double tau,
        PolicyBounds bounds,
        EvaluationResult inSample) {

    /**
     * The version after the prior's, with its certificate.
     *
     * @param posterior whether the objective was about a posterior, whose variance is then kept
     */
    PolicySnapshot snapshot(boolean posterior) {
        return new PolicySnapshot(
                sample.loop(),
                prior.version().orElse(0) + 1,
                prior.version(),
                sample.latest(),
                trained.model(),
                sample.encoder(),
                posterior ? OptionalDouble.of(bounds.gap().variance()) : OptionalDouble.empty(),
                sample.normBound(),
                new Training(
                        objective.name(),
                        OptionalDouble.of(objective.strength()),
                        OptionalDouble.of(tau),
                        sample.examples().size(),
                        sample.lacksPropensities(),
                        "",
                        0),
                Optional.of(Evaluations.certificate(inSample, bounds, sample.lacksPropensities())));
    }
}
