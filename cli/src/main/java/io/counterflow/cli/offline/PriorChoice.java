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
 * The prior of training or of a bound.
 *
 * @param description none, learned, or the file of the snapshot
 * @param model its mean; zeros for none
 * @param rule its decision rule
 * @param version version of the snapshot, if it is one
 * @param learnedWith λ, if it was learned from the same log
 */
record PriorChoice(
        String description,
        LinearModel model,
        DecisionRule rule,
        OptionalLong version,
        OptionalDouble learnedWith) {

    static final String NONE = "none";
    static final String LEARNED = "learned";

    /** Reads the snapshot that the command line names; empty for none and learned. */
    static Optional<KnownModel> snapshotNamed(String name) {
        return name.equals(NONE) || name.equals(LEARNED)
                ? Optional.empty()
                : Optional.of(KnownModel.read(Path.of(name)));
    }

    static PriorChoice none(LinearModel shape) {
        return unversioned(NONE, shape.zeros(), OptionalDouble.empty());
    }

    static PriorChoice learned(LoggingPolicyEstimate estimate) {
        return unversioned(LEARNED, estimate.model(), OptionalDouble.of(estimate.lambda()));
    }

    private static PriorChoice unversioned(
            String description, LinearModel model, OptionalDouble learnedWith) {
        return new PriorChoice(
                description, model, DecisionRule.PLAIN, OptionalLong.empty(), learnedWith);
    }

    /** A snapshot. One of {@code logging-policy} is assumed to be learned from the same log. */
    static PriorChoice snapshot(KnownModel known) {
        boolean learned = known.snapshot().training().objective().equals(Training.LOGGING_POLICY);
        return new PriorChoice(
                known.file().toString(),
                known.model(),
                known.snapshot().decisionRule(),
                OptionalLong.of(known.snapshot().version()),
                learned ? known.snapshot().training().lambda() : OptionalDouble.empty());
    }

    /** The parameters that give the same policy at another inverse temperature. */
    LinearModel modelAt(double inverseTemperature) {
        double own = rule.inverseTemperature();
        if (own == inverseTemperature) {
            return model;
        }
        if (inverseTemperature == 0.0) {
            throw new BadInputException(
                    "--inverse-temperature must be above 0 if it differs from the prior's, got 0");
        }
        return model.scaled(own / inverseTemperature);
    }
}
