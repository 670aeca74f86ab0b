package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.cli.log.LogOptions;
import io.counterflow.cli.log.ServedOptions;
import io.counterflow.core.bound.BoundSettings;
import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.bound.PropensityPercentile;
import io.counterflow.core.policy.Policy;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Computes all bounds on a policy's risk. */
@Command(
        name = "bound",
        description =
                "Compute bounds on the value of a policy that was learned from a log, with their "
                        + "terms. The bounds of the paper are about the mixed logit policy around "
                        + "the snapshot's parameters, the log-smoothed ones about the policy as "
                        + "it is served.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow bound --log clicks.jsonl --policy v4.snapshot --prior v3.snapshot",
            "  counterflow bound --log clicks.jsonl --policy v1.snapshot --prior none "
                    + "--tau-percentile 10 --json"
        })
public final class BoundCommand implements Callable<Integer> {

    private static final String OPTIMAL = "optimal";

    @Mixin private final Output output;
    @Mixin private final LogOptions logOptions = new LogOptions();
    @Mixin private final ServedOptions served = new ServedOptions();

    @Option(
            names = "--policy",
            required = true,
            paramLabel = "SNAPSHOT",
            description = "The policy to bound.")
    private Path policyFile = Path.of("");

    @Option(
            names = "--prior",
            required = true,
            paramLabel = "SNAPSHOT|none",
            description =
                    "The prior: the logging policy, or none for zero parameters. A snapshot written "
                            + "by logging-policy is assumed to be learned from this log, and theorem "
                            + "4 applies.")
    private String priorName = PriorChoice.NONE;

    @ArgGroup private Floor floor = new Floor();

    /** τ, fixed or from the data. */
    private static final class Floor {
        @Option(
                names = "--tau",
                paramLabel = "X",
                converter = Ranges.PropensityFloor.class,
                description = "Smallest propensity used as a divisor. Default: 0.01.")
        private @Nullable Double tau;

        @Option(
                names = "--tau-percentile",
                paramLabel = "P",
                converter = Ranges.Percentile.class,
                description = "Set tau to this percentile of the logged propensities.")
        private @Nullable Double percentile;
    }

    @Option(
            names = "--delta",
            paramLabel = "X",
            converter = Ranges.FailureProbability.class,
            description = "Probability that a bound fails. Default: ${DEFAULT-VALUE}.")
    private double delta = 0.05;

    @Option(
            names = "--prior-variance",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description =
                    "Variance of the prior in the bounds of the paper. The log-smoothed one tries "
                            + "all powers of 2. Default: ${DEFAULT-VALUE}.")
    private double priorVariance = 1.0;

    @Option(
            names = "--variance",
            paramLabel = "X|optimal",
            description =
                    "Variance of the posterior in the bounds of the paper; optimal is its closed "
                            + "form. Default: the snapshot's, or optimal.")
    private @Nullable String variance;

    public BoundCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() {
        if (priorName.equals(PriorChoice.LEARNED)) {
            throw new BadInputException(
                    "--prior must be a snapshot or none, got learned; logging-policy learns one and"
                            + " writes it as a snapshot");
        }
        KnownModel policy = KnownModel.read(policyFile);
        Policy target = served.policy(policy.snapshot());
        Optional<KnownModel> priorSnapshot = PriorChoice.snapshotNamed(priorName);
        priorSnapshot.ifPresent(prior -> prior.requireSameShape(policy));
        LoadedLog log = logOptions.load(Optional.of(policy), output);
        log.requirePropensities("no bound holds without them");
        PriorChoice prior =
                priorSnapshot
                        .map(PriorChoice::snapshot)
                        .orElseGet(() -> PriorChoice.none(policy.model()));
        boolean floorFromData = floor.percentile != null;
        BoundSettings settings =
                BadInputException.ifRefused(
                        "bound",
                        () ->
                                new BoundSettings(
                                        propensityFloor(log),
                                        floorFromData,
                                        delta,
                                        priorVariance,
                                        posteriorVariance(policy, target),
                                        prior.learnedWith(),
                                        log.normBound()));
        PolicyBounds bounds =
                BadInputException.ifRefused(
                        "bound",
                        () ->
                                PolicyBounds.of(
                                        log.examples(),
                                        target,
                                        prior.modelAt(target.rule().inverseTemperature()),
                                        settings));
        double judgedOn = log.judgedOn(target, delta);
        output.print(BoundReport.of(policyFile, log, prior, settings, bounds, judgedOn));
        return ExitCode.DONE;
    }

    private double propensityFloor(LoadedLog log) {
        if (floor.percentile != null) {
            return PropensityPercentile.of(log.examples(), floor.percentile);
        }
        return floor.tau == null ? 0.01 : floor.tau;
    }

    /** The variance of β w, which the bounds are about: β² times the variance of w. */
    private OptionalDouble posteriorVariance(KnownModel policy, Policy target) {
        if (variance == null) {
            double beta = target.rule().inverseTemperature();
            OptionalDouble own = policy.snapshot().variance();
            return own.isPresent() ? OptionalDouble.of(own.getAsDouble() * beta * beta) : own;
        }
        if (variance.equals(OPTIMAL)) {
            return OptionalDouble.empty();
        }
        try {
            return OptionalDouble.of(Double.parseDouble(variance));
        } catch (NumberFormatException e) {
            throw new BadInputException(
                    "--variance must be a number or optimal, got \"" + variance + "\"", e);
        }
    }
}
