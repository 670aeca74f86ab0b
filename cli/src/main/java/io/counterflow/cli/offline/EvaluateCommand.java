package io.counterflow.cli.offline;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.cli.log.LogOptions;
import io.counterflow.cli.log.ServedOptions;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.estimate.StratifiedEstimate;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Estimates the value of a policy from the log of another policy. */
@Command(
        name = "evaluate",
        description =
                "Estimate the value of a policy from the log of another policy. The policy should "
                        + "not have been trained on this log.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow evaluate --log clicks.jsonl --policy better.snapshot",
            "  counterflow evaluate --log clicks.jsonl --policy better.snapshot "
                    + "--exploration-floor 0.05",
            "  counterflow evaluate --log clicks.jsonl --policy uniform --tau 0.05 --json"
        })
public final class EvaluateCommand implements Callable<Integer> {

    private static final String UNIFORM = "uniform";

    @Mixin private final Output output;
    @Mixin private final LogOptions logOptions = new LogOptions();
    @Mixin private final ServedOptions served = new ServedOptions();

    @Option(
            names = "--policy",
            required = true,
            paramLabel = "SNAPSHOT|uniform",
            description = "The policy to evaluate.")
    private String policyName = UNIFORM;

    @Option(
            names = "--tau",
            paramLabel = "X",
            converter = Ranges.PropensityFloor.class,
            description =
                    "Smallest propensity used as a divisor in truncated IPS; 1/tau caps the ratio "
                            + "in clipped IPS. Default: ${DEFAULT-VALUE}.")
    private double tau = 0.01;

    @Option(
            names = "--delta",
            paramLabel = "X",
            converter = Ranges.FailureProbability.class,
            description = "Probability that an interval misses. Default: ${DEFAULT-VALUE}.")
    private double delta = 0.05;

    @Option(
            names = "--folds",
            paramLabel = "N",
            converter = Ranges.Folds.class,
            description =
                    "Cross-fitting folds of the reward model of the doubly robust estimate; 0 for no "
                            + "such estimate. Default: ${DEFAULT-VALUE}.")
    private int folds = 2;

    public EvaluateCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() {
        Optional<KnownModel> known =
                policyName.equals(UNIFORM)
                        ? Optional.empty()
                        : Optional.of(KnownModel.read(Path.of(policyName)));
        LoadedLog log = logOptions.load(known, output);
        log.requirePropensities(
                "estimate them with train --prior learned, which also reports estimates");
        Policy policy =
                known.map(snapshot -> served.policy(snapshot.snapshot()))
                        .orElseGet(() -> Policy.uniform(log.shape()));
        if (policy.rule().kind() == PolicyKind.MIXED_LOGIT) {
            output.note(
                    "the probabilities of a mixed logit have no closed form; evaluating the softmax of"
                            + " its mean instead");
        }
        EvaluationResult result = evaluate(log, policy);
        output.print(
                EvaluateReport.of(
                        policyName,
                        log,
                        result,
                        log.judgedOn(policy, delta),
                        stratified(log, policy)));
        return ExitCode.DONE;
    }

    private EvaluationResult evaluate(LoadedLog log, Policy policy) {
        boolean tooFew = log.examples().size() < folds;
        if (tooFew) {
            output.note(
                    "no doubly robust estimate: --folds %d needs at least as many examples"
                            .formatted(folds));
        } else if (folds > 0) {
            output.note("fitting the reward model for the doubly robust estimate");
        }
        return log.evaluate(policy, tau, delta, tooFew ? 0 : folds);
    }

    /** Only if several policies logged; otherwise it equals IPS. */
    private static Optional<StratifiedEstimate> stratified(LoadedLog log, Policy policy) {
        if (log.isLoggedByOnePolicy()) {
            return Optional.empty();
        }
        ExampleLog examples = log.examples();
        StratifiedEstimate stratified = new StratifiedEstimate();
        PolicyOnLog target = new PolicyOnLog(policy, examples);
        for (int i = 0; i < examples.size(); i++) {
            stratified.add(
                    examples.policyVersion(i),
                    ImportanceWeight.of(target.probability(i), examples.propensity(i)),
                    examples.reward(i));
        }
        return Optional.of(stratified);
    }
}
