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
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains a policy on a log. */
@Command(
        name = "train",
        description =
                "Train a policy on a log, regularised towards the logging policy, and write it as a "
                        + "snapshot with a certificate.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow train --log clicks.jsonl --objective ips-lpr --out better.snapshot",
            "  counterflow train --log day.jsonl.gz --objective wnll-lpr --prior v3.snapshot "
                    + "--out v4.snapshot",
            "  counterflow train --log day.avro --objective trust-lpr --exploration-floor 0.05 "
                    + "--out v1.snapshot",
            "  counterflow train --log old.jsonl new.avro --objective ls-lpr --validate "
                    + "--out v1.snapshot --json"
        })
public final class TrainCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final LogOptions logOptions = new LogOptions();
    @Mixin private final ObjectiveOptions objectiveOptions = new ObjectiveOptions();
    @Mixin private final TrainingOptions training = new TrainingOptions();
    @Mixin private final ServedOptions served = new ServedOptions();
    @Mixin private final SnapshotOutput out = new SnapshotOutput();

    @Option(
            names = "--prior",
            paramLabel = "SNAPSHOT|learned|none",
            description =
                    "The logging policy: a snapshot, learned to estimate it from the log (required "
                            + "for a log without propensities), or none. Default: learned for "
                            + "ips-lpr, wnll-lpr, ls-lpr, trust-lpr and bcrm, otherwise none.")
    private @Nullable String prior;

    @Option(
            names = "--init",
            paramLabel = "prior|zeros",
            description =
                    "Initial parameters. With zeros, objectives that are not convex may give up "
                            + "some actions for good. Default: prior.")
    private TrainerConfig.Start start = TrainerConfig.Start.PRIOR;

    @Option(
            names = "--delta",
            paramLabel = "X",
            converter = Ranges.FailureProbability.class,
            description =
                    "Probability that a bound of the certificate fails. Default: ${DEFAULT-VALUE}.")
    private double delta = 0.05;

    @Option(
            names = "--validate",
            description =
                    "Train on four fifths of the log and estimate the value of the policy on the rest.")
    private boolean validate;

    public TrainCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        out.requireWritable();
        String priorName = priorName();
        Optional<KnownModel> known = PriorChoice.snapshotNamed(priorName);
        LoadedLog log = logOptions.load(known, output);
        if (!priorName.equals(PriorChoice.LEARNED)) {
            log.requirePropensities("give --prior learned to estimate them");
        }
        Holdout holdout = validate ? Holdout.split(log, training.seed) : Holdout.none(log);
        PriorChoice choice = choosePrior(priorName, known, holdout.training());
        if (log.lacksPropensities()) {
            output.warn(
                    "propensities are estimated by the learned logging policy; no bound holds for the"
                            + " trained policy");
            holdout = holdout.withPropensitiesOf(choice.model());
        }
        TrainedPolicy learned = train(holdout.training(), choice);
        PolicySnapshot snapshot = learned.snapshot(objectiveOptions.name.isBayesian());
        SnapshotFile.write(out.file, snapshot);
        output.print(
                TrainReport.of(
                        out.file,
                        snapshot,
                        learned,
                        holdout.evaluate(snapshot.policy(), objectiveOptions.tau, delta)));
        return ExitCode.DONE;
    }

    private String priorName() {
        if (prior != null) {
            return prior;
        }
        return objectiveOptions.name.centre() == Objective.Centre.PRIOR
                ? PriorChoice.LEARNED
                : PriorChoice.NONE;
    }

    private PriorChoice choosePrior(String priorName, Optional<KnownModel> known, LoadedLog log) {
        if (known.isPresent()) {
            return PriorChoice.snapshot(known.get());
        }
        if (priorName.equals(PriorChoice.NONE)) {
            return PriorChoice.none(log.shape());
        }
        return PriorChoice.learned(
                LoggingPolicyEstimate.learn(
                        log,
                        LoggingPolicyEstimate.DEFAULT_LAMBDA,
                        LoggingPolicyEstimate.DEFAULT_EPOCHS,
                        training,
                        output));
    }

    private TrainedPolicy train(LoadedLog sample, PriorChoice choice) {
        DecisionRule rule = rule(choice);
        LinearModel prior = choice.modelAt(rule.inverseTemperature());
        Objective objective = objectiveOptions.objective(sample, rule);
        PolicyTrainer.Trained trained =
                training.train(
                        objective,
                        sample.examples(),
                        prior,
                        start,
                        rule.inverseTemperature(),
                        training.epochs,
                        "training",
                        output);
        double tau = objectiveOptions.tau;
        Policy policy = new Policy(trained.model(), rule);
        return new TrainedPolicy(
                sample,
                choice,
                objective,
                trained,
                rule,
                tau,
                PolicyBounds.of(sample.examples(), policy, prior, settings(choice, sample)),
                sample.evaluate(policy, tau, delta, 0));
    }

    /** The decision rule of the prior with the user's overrides, but always a softmax. */
    private DecisionRule rule(PriorChoice choice) {
        DecisionRule rule =
                served.over(
                        DecisionRule.softmax(
                                choice.rule().inverseTemperature(),
                                choice.rule().explorationFloor()));
        if (rule.inverseTemperature() == 0.0) {
            throw new BadInputException(
                    "--inverse-temperature must be above 0 to train: at 0 every policy is uniform");
        }
        return rule;
    }

    private BoundSettings settings(PriorChoice choice, LoadedLog sample) {
        return new BoundSettings(
                objectiveOptions.tau,
                false,
                delta,
                objectiveOptions.priorVariance,
                OptionalDouble.empty(),
                choice.learnedWith(),
                sample.normBound());
    }
}
