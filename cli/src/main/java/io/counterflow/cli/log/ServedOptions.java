package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Ranges;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Overrides how a policy is served. A picocli mixin. */
public final class ServedOptions {

    @Option(
            names = "--inverse-temperature",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description =
                    "Factor of the scores: 0 is uniform, larger is greedier. Default: the snapshot's, "
                            + "or 1.")
    private @Nullable Double inverseTemperature;

    @Option(
            names = "--exploration-floor",
            paramLabel = "X",
            converter = Ranges.Share.class,
            description = "Share of uniform draws. Default: the snapshot's, or 0.")
    private @Nullable Double explorationFloor;

    /** A decision rule with the user's overrides. */
    public DecisionRule over(DecisionRule rule) {
        return BadInputException.ifRefused(
                "--inverse-temperature, --exploration-floor",
                () ->
                        new DecisionRule(
                                rule.kind(),
                                inverseTemperature == null
                                        ? rule.inverseTemperature()
                                        : inverseTemperature,
                                explorationFloor == null
                                        ? rule.explorationFloor()
                                        : explorationFloor,
                                rule.variance(),
                                rule.propensityKind(),
                                rule.propensityDraws()));
    }

    public Policy policy(PolicySnapshot snapshot) {
        return new Policy(snapshot.model(), over(snapshot.decisionRule()));
    }
}
