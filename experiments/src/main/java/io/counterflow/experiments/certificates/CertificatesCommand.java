package io.counterflow.experiments.certificates;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.estimate.LogSmoothedIps;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.trial.DataOptions;
import io.counterflow.experiments.trial.Method;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Both certificates of learned policies beside their true values. */
@Command(
        name = "certificates",
        description =
                "Bounds on the value of policies from the log that they were learned from, with"
                        + " their parts, and from examples that they are judged on, beside their"
                        + " test rewards.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = "  counterflow experiment certificates --data data/fashion-mnist")
public final class CertificatesCommand implements Callable<Integer> {

    private static final double DELTA = 0.05;
    private static final int BATCH_SIZE = 100;
    private static final AdaGrad OPTIMIZER = new AdaGrad(0.1, 1.0);

    /** λ of IPS-LPR: next to no regularisation, as cross-validation chooses. */
    private static final double WEAK = 1e-8;

    @Mixin private final Output output;
    @Mixin private final DataOptions options = new DataOptions();

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Passes of a training over its log. Default: ${DEFAULT-VALUE}.")
    private int epochs = 15;

    @Option(
            names = "--smoothing",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description = "Smoothing of LS-LPR. Default: ${DEFAULT-VALUE}.")
    private double smoothing = 0.25;

    @Option(
            names = "--prior-variance",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description = "Prior variance of LS-LPR, for its strength. Default: ${DEFAULT-VALUE}.")
    private double priorVariance = 0.005;

    public CertificatesCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        CentredTrial trial = CentredTrial.of(options.setup(1, output));
        int n = trial.log().size();
        List<CertificatesReport.LearnedFrom> learned = new ArrayList<>();
        CertificatesReport.JudgedOn judged;
        try (Progress progress = output.progress("certificates", "policies", 5)) {
            LinearModel logging = trial.logging();
            learned.add(certify("logging policy", trial, trial.log(), logging, logging));
            LinearModel strong = train(lsLpr(n), trial.log(), logging);
            learned.add(certify("LS-LPR", trial, trial.log(), strong, logging));
            progress.advance(1);
            Objective weak = Objectives.ipsLpr(Method.PROPENSITY_FLOOR, WEAK);
            LinearModel best = train(weak, trial.log(), logging);
            learned.add(certify("IPS-LPR", trial, trial.log(), best, logging));
            progress.advance(1);
            ExampleLog second = trial.part(n / 2, n);
            LinearModel prior = train(weak, trial.part(0, n / 2), logging);
            progress.advance(1);
            LinearModel posterior = train(lsLpr(second.size()), second, prior);
            learned.add(certify("LS-LPR after a first half", trial, second, posterior, prior));
            progress.advance(1);
            int judgedOn = Math.min(10_000, n / 4);
            LinearModel frozen = train(weak, trial.part(0, n - judgedOn), logging);
            judged = judge(frozen, trial, trial.part(n - judgedOn, n));
            progress.advance(1);
        }
        output.print(new CertificatesReport(DELTA, learned, judged));
        return ExitCode.DONE;
    }

    private Objective lsLpr(int n) {
        return Objectives.lsLpr(smoothing, Objectives.lsLprStrength(priorVariance, smoothing, n));
    }

    private LinearModel train(Objective objective, ExampleLog log, LinearModel prior) {
        return new PolicyTrainer(
                        objective,
                        new TrainerConfig(
                                epochs, BATCH_SIZE, OPTIMIZER, 1, TrainerConfig.Start.PRIOR))
                .train(log, prior, epoch -> {})
                .model();
    }

    private static CertificatesReport.LearnedFrom certify(
            String name, CentredTrial trial, ExampleLog log, LinearModel model, LinearModel prior) {
        PolicyEvaluation evaluation =
                new PolicyEvaluation(
                        Method.PROPENSITY_FLOOR, LogSmoothedIps.defaultSmoothing(log.size()));
        evaluation.addAll(log, Policy.softmax(model));
        return new CertificatesReport.LearnedFrom(
                name,
                log.size(),
                TestReward.of(model, trial.test()).stochastic(),
                evaluation.result(DELTA).ips().value(),
                ServedBound.of(log, Policy.softmax(model), prior, DELTA));
    }

    /** The bound after a tenth, a fifth, half and all of the examples. */
    private static CertificatesReport.JudgedOn judge(
            LinearModel model, CentredTrial trial, ExampleLog log) {
        PolicyOnLog onLog = new PolicyOnLog(Policy.softmax(model), log);
        LowerConfidenceSequence sequence = new LowerConfidenceSequence();
        List<CertificatesReport.Judgement> judgements = new ArrayList<>();
        int n = log.size();
        for (int i = 0; i < n; i++) {
            double weight = ImportanceWeight.of(onLog.probability(i), log.propensity(i));
            sequence.add(weight * log.reward(i));
            int seen = i + 1;
            if (seen == n / 10 || seen == n / 5 || seen == n / 2 || seen == n) {
                judgements.add(new CertificatesReport.Judgement(seen, sequence.bound(DELTA)));
            }
        }
        return new CertificatesReport.JudgedOn(
                TestReward.of(model, trial.test()).stochastic(), judgements);
    }
}
