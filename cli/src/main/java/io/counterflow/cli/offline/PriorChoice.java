package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.Training;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The prior that a policy is learned or judged with.
 *
 * @param description for people: none, learned, or the snapshot's file
 * @param model its mean; zeros when there is none
 * @param rule how it is served
 * @param version the snapshot's version, when it is one
 * @param learnedWith λ, when it was learned from the very log it is used with
 */
record PriorChoice(
        String description,
        LinearModel model,
        DecisionRule rule,
        OptionalLong version,
        OptionalDouble learnedWith) {

    static final String NONE = "none";
    static final String LEARNED = "learned";

    /**
     * The snapshot that a prior's name on the command line leads to; empty for none and learned.
     */
    static Optional<KnownModel> snapshotNamed(String name) {
        return name.equals(NONE) || name.equals(LEARNED)
                ? Optional.empty()
                : Optional.of(KnownModel.read(Path.of(name)));
    }

    static PriorChoice none(LinearModel shape) {
        return new PriorChoice(
                NONE,
                shape.zeros(),
                DecisionRule.PLAIN,
                OptionalLong.empty(),
                OptionalDouble.empty());
    }

    static PriorChoice learned(LoggingPolicyEstimate estimate) {
        return new PriorChoice(
                LEARNED,
                estimate.model(),
                DecisionRule.PLAIN,
                OptionalLong.empty(),
                OptionalDouble.of(estimate.lambda()));
    }

    /** A snapshot; one that {@code logging-policy} wrote is taken to be learned from this log. */
    static PriorChoice snapshot(KnownModel known) {
        boolean learned = known.snapshot().training().objective().equals(Training.LOGGING_POLICY);
        return new PriorChoice(
                known.file().toString(),
                known.model(),
                known.snapshot().decisionRule(),
                OptionalLong.of(known.snapshot().version()),
                learned ? known.snapshot().training().lambda() : OptionalDouble.empty());
    }

    /**
     * The parameters with which another inverse temperature gives the same policy: a policy that is
     * served at β and stays at these parameters is the prior.
     */
    LinearModel modelAt(double inverseTemperature) {
        double own = rule.inverseTemperature();
        if (own == inverseTemperature) {
            return model;
        }
        if (inverseTemperature == 0.0) {
            throw new BadInputException(
                    "--inverse-temperature must be above 0 where the prior has another, got 0");
        }
        return model.scaled(own / inverseTemperature);
    }
}
