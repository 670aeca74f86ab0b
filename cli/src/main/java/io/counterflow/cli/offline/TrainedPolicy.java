package io.counterflow.cli.offline;

import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import java.util.Optional;
import java.util.OptionalDouble;

/** A trained policy, with estimates and bounds from the training log, the sample. */
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
     * Creates the snapshot, with a certificate. Its version follows that of the prior.
     *
     * @param posterior whether the snapshot includes the variance of the posterior
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
                Optional.of(Certificate.of(inSample, served())));
    }

    /** The bound on its value; empty if none holds, as with estimated propensities. */
    Optional<ServedBound> served() {
        return sample.lacksPropensities() ? Optional.empty() : bounds.served();
    }

    /** The bounds are about β w, the snapshot contains w. */
    private double posteriorVariance() {
        double beta = rule.inverseTemperature();
        return bounds.gap().variance() / (beta * beta);
    }
}
