package io.counterflow.cli.offline;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.cli.log.LogOptions;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Estimates an unknown logging policy from its logged actions. */
@Command(
        name = "logging-policy",
        description =
                "Estimate an unknown logging policy from its logged actions, by maximum likelihood "
                        + "with an L2 penalty.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow logging-policy --log clicks.jsonl.gz --out logging.snapshot",
            "  counterflow logging-policy --log clicks.avro --lambda 0.001 --out logging.snapshot"
        })
public final class LoggingPolicyCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final LogOptions logOptions = new LogOptions();
    @Mixin private final TrainingOptions training = new TrainingOptions();
    @Mixin private final SnapshotOutput out = new SnapshotOutput();

    @Option(
            names = "--lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description = "Strength of the L2 penalty. Default: ${DEFAULT-VALUE}.")
    private double lambda = LoggingPolicyEstimate.DEFAULT_LAMBDA;

    public LoggingPolicyCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        out.requireWritable();
        LoadedLog log = logOptions.load(Optional.empty(), output);
        LoggingPolicyEstimate estimate =
                LoggingPolicyEstimate.learn(log, lambda, training.epochs, training, output);
        SnapshotFile.write(out.file, snapshot(log, estimate));
        output.print(report(log, estimate));
        return ExitCode.DONE;
    }

    private static PolicySnapshot snapshot(LoadedLog log, LoggingPolicyEstimate estimate) {
        return new PolicySnapshot(
                log.loop(),
                0,
                OptionalLong.empty(),
                log.latest(),
                estimate.model(),
                log.encoder(),
                DecisionRule.PLAIN,
                OptionalDouble.empty(),
                log.normBound(),
                new Training(
                        Training.LOGGING_POLICY,
                        OptionalDouble.of(estimate.lambda()),
                        OptionalDouble.empty(),
                        log.examples().size(),
                        false,
                        "",
                        0),
                Optional.empty());
    }

    private Report report(LoadedLog log, LoggingPolicyEstimate estimate) {
        double error = meanPropensityError(log, estimate);
        FieldReport report =
                new FieldReport()
                        .section("logging policy")
                        .field("loop", log.loop())
                        .field("n", "examples", log.examples().size())
                        .field("skipped", log.skipped())
                        .field("lambda", estimate.lambda())
                        .field(
                                "negativeLogLikelihood",
                                "negative log-likelihood",
                                estimate.negativeLogLikelihood())
                        .field("meanPropensityError", error)
                        .field("out", out.file);
        if (Double.isFinite(error)) {
            report.row("mean error of propensities", error);
        }
        return report.line("written to %s", out.file);
    }

    /** Mean of |π̂(a|x) − p|; NaN if the log has no propensities. */
    private static double meanPropensityError(LoadedLog log, LoggingPolicyEstimate estimate) {
        PolicyOnLog policy = new PolicyOnLog(Policy.softmax(estimate.model()), log.examples());
        double sum = 0.0;
        int known = 0;
        for (int i = 0; i < log.examples().size(); i++) {
            if (!log.missingPropensities().get(i)) {
                sum += Math.abs(policy.probability(i) - log.examples().propensity(i));
                known++;
            }
        }
        return known == 0 ? Double.NaN : sum / known;
    }
}
