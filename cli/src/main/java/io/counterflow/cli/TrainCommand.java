package io.counterflow.cli;

import io.counterflow.core.bound.BoundSettings;
import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.learn.Objective;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.schemas.PolicySnapshot;
import io.counterflow.schemas.Training;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains a policy offline. */
@Command(
        name = "train",
        description =
                "Train a policy on a log, regularised towards the policy that logged it, and write "
                        + "it as a snapshot with a certificate.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow train --log clicks.jsonl --objective ips-lpr --out better.snapshot",
            "  counterflow train --log clicks.jsonl.gz --objective wnll-lpr --prior v3.snapshot "
                    + "--lambda 1e-4 --validate --out v4.snapshot",
            "  counterflow train --log old.jsonl new.avro --objective ls-lpr --prior learned "
                    + "--out v1.snapshot --json"
        })
final class TrainCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final LogOptions logOptions = new LogOptions();
    @Mixin private final ObjectiveOptions objectiveOptions = new ObjectiveOptions();
    @Mixin private final TrainingOptions training = new TrainingOptions();
    @Mixin private final ShapeOptions shapeOptions = new ShapeOptions();

    @Option(
            names = "--prior",
            paramLabel = "SNAPSHOT|learned|none",
            description =
                    "The logging policy: a snapshot; learned from the log, as is needed when the "
                            + "log has no propensities; or none. Default: learned for ips-lpr, "
                            + "wnll-lpr, ls-lpr and bcrm, otherwise none.")
    private @Nullable String prior;

    @Option(
            names = "--init",
            paramLabel = "prior|zeros",
            converter = StartConverter.class,
            description =
                    "Where the parameters start. From zeros, objectives that are not convex may "
                            + "never choose some actions again. Default: prior.")
    private TrainerConfig.Start start = TrainerConfig.Start.PRIOR;

    @Option(
            names = "--delta",
            paramLabel = "X",
            description = "How often the certificate's bounds may fail. Default: ${DEFAULT-VALUE}.")
    private double delta = 0.05;

    @Option(
            names = "--validate",
            description =
                    "Train on four fifths of the log and estimate the policy's value on the rest.")
    private boolean validate;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "SNAPSHOT",
            description = "Where to write the learned policy.")
    private Path out = Path.of("");

    TrainCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        String priorName =
                prior != null
                        ? prior
                        : objectiveOptions.name().pullsToPrior()
                                ? PriorChoice.LEARNED
                                : PriorChoice.NONE;
        boolean named =
                !priorName.equals(PriorChoice.LEARNED) && !priorName.equals(PriorChoice.NONE);
        Optional<KnownModel> known =
                named ? Optional.of(KnownModel.read(Path.of(priorName))) : Optional.empty();
        LoadedLog log = new LogLoader(logOptions, shapeOptions, known, output).load();
        if (!priorName.equals(PriorChoice.LEARNED)) {
            log.requirePropensities("give --prior learned to estimate them");
        }
        Holdout holdout = validate ? Holdout.split(log, training.seed()) : Holdout.none(log);
        PriorChoice choice = choosePrior(priorName, known, holdout.training());
        if (log.lacksPropensities()) {
            output.warn(
                    "propensities are estimated by the learned logging policy; no bound holds for"
                            + " what is learned with them");
            holdout = holdout.withPropensitiesOf(choice.model());
        }
        LoadedLog sample = holdout.training();
        Objective objective = objectiveOptions.objective(sample);
        PolicyTrainer.Trained trained =
                training.train(
                        objective,
                        sample.examples(),
                        choice.model(),
                        start,
                        training.epochs(),
                        "training",
                        output);
        PolicyBounds bounds = bounds(sample, trained, choice);
        EvaluationResult inSample =
                Evaluations.of(sample, trained.model(), objectiveOptions.tau(), delta);
        PolicySnapshot snapshot = snapshot(sample, choice, objective, trained, bounds, inSample);
        SnapshotFile.write(out, snapshot);
        output.print(
                new TrainReport(
                        out,
                        snapshot,
                        choice,
                        objective,
                        trained,
                        log.skipped(),
                        inSample,
                        holdout.evaluate(trained.model(), objectiveOptions.tau(), delta),
                        bounds));
        return ExitCode.DONE;
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

    private PolicyBounds bounds(LoadedLog log, PolicyTrainer.Trained trained, PriorChoice choice) {
        BoundSettings settings =
                BadInputException.ifRefused(
                        "--tau, --delta, --prior-variance",
                        () ->
                                new BoundSettings(
                                        objectiveOptions.tau(),
                                        false,
                                        delta,
                                        objectiveOptions.priorVariance(),
                                        OptionalDouble.empty(),
                                        choice.learnedWith()));
        return PolicyBounds.of(log.examples(), trained.model(), choice.model(), settings);
    }

    private PolicySnapshot snapshot(
            LoadedLog log,
            PriorChoice choice,
            Objective objective,
            PolicyTrainer.Trained trained,
            PolicyBounds bounds,
            EvaluationResult inSample) {
        boolean bayesian =
                objectiveOptions.name() == ObjectiveName.BCRM
                        || objectiveOptions.name() == ObjectiveName.BCRM_CONVEX;
        return new PolicySnapshot(
                log.loop(),
                choice.version().orElse(0) + 1,
                choice.version(),
                log.latest(),
                trained.model(),
                log.encoder(),
                bayesian ? OptionalDouble.of(bounds.gap().variance()) : OptionalDouble.empty(),
                log.normBound(),
                new Training(
                        objective.name(),
                        OptionalDouble.of(objective.strength()),
                        OptionalDouble.of(objectiveOptions.tau()),
                        log.examples().size(),
                        log.lacksPropensities(),
                        "",
                        0),
                Optional.of(
                        Evaluations.certificate(inSample, bounds, delta, log.lacksPropensities())));
    }
}
