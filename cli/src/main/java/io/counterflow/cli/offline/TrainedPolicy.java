package io.counterflow.cli.offline;

import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.snapshot.Certificate;
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
 * @param rule how it is served
 * @param tau smallest propensity used as a divisor
 * @param bounds bounds on its risk
 * @param inSample estimates of its value
 */
record TrainedPolicy(
        LoadedLog sample,
        PriorChoice prior,
        Objective objective,
        PolicyTrainer.Trained trained,
        DecisionRule rule,
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
                rule,
                posterior ? OptionalDouble.of(posteriorVariance()) : OptionalDouble.empty(),
                sample.normBound(),
                new Training(
                        objective.name(),
                        OptionalDouble.of(objective.strength()),
                        OptionalDouble.of(tau),
                        sample.examples().size(),
                        sample.lacksPropensities(),
                        "",
                        0),
                Optional.of(
                        Certificate.of(
                                inSample,
                                // With estimated propensities no bound holds.
                                sample.lacksPropensities()
                                        ? Optional.empty()
                                        : Optional.of(bounds))));
    }

    /** The bounds are about the parameters times β, the snapshot holds them without. */
    private double posteriorVariance() {
        double beta = rule.inverseTemperature();
        return bounds.gap().variance() / (beta * beta);
    }
}
