package io.counterflow.cli.evaluate;

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
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Estimates the values of policies from the log of another policy. */
@Command(
        name = "evaluate",
        description = {
            "Estimate the values of policies from the log of another policy. The policies should "
                    + "not have been trained on this log.",
            "",
            "A policy is a snapshot, uniform, first (always the first action), or a file of "
                    + "probabilities that another program computed: .jsonl with eventId and "
                    + "distribution, or .csv with eventId,0,1,2,... FILE.jsonl#FIELD reads another "
                    + "field, for example one of the log itself. Several policies are evaluated "
                    + "side by side."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow evaluate --log clicks.jsonl --policy better.snapshot",
            "  counterflow evaluate --log clicks.jsonl --policy better.snapshot "
                    + "--exploration-floor 0.05",
            "  counterflow evaluate --log clicks.jsonl --policy uniform --tau 0.05 --json",
            "  counterflow evaluate --log clicks.jsonl --policy uniform --policy mine.csv "
                    + "--plot values.svg",
            "  counterflow evaluate --log clicks.jsonl --policy better.snapshot --by user.country"
        })
public final class EvaluateCommand implements Callable<Integer> {

    private static final String UNIFORM = "uniform";
    private static final String FIRST = "first";

    @Mixin private final Output output;
    @Mixin private final LogOptions logOptions = new LogOptions();
    @Mixin private final ServedOptions served = new ServedOptions();

    @Option(
            names = "--policy",
            required = true,
            arity = "1..*",
            paramLabel = "SNAPSHOT|uniform|first|FILE",
            description = "The policies to evaluate.")
    private List<String> policies = List.of();

    @Option(
            names = "--by",
            paramLabel = "FEATURE",
            description =
                    "Also evaluate each value of a feature of the context on its own, such as "
                            + "user.country, or each day of the week (@weekday, in UTC).")
    private @Nullable String by;

    @Option(
            names = "--max-segments",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of values of --by to keep apart, the most frequent ones. The others are "
                            + "one segment. Default: ${DEFAULT-VALUE}.")
    private int maxSegments = 10;

    @Option(
            names = "--plot",
            paramLabel = "FILE.svg",
            description = "File for a plot of the intervals.")
    private @Nullable Path plot;

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
    public Integer call() throws IOException {
        requireOptions();
        Map<String, KnownModel> snapshots = new LinkedHashMap<>();
        Map<String, TargetFile> files = new LinkedHashMap<>();
        for (String policy : policies) {
            Optional<TargetFile> file = TargetFile.named(policy);
            if (file.isPresent()) {
                files.put(policy, file.get());
            } else if (!policy.equals(UNIFORM) && !policy.equals(FIRST)) {
                snapshots.put(policy, KnownModel.read(Path.of(policy)));
            }
        }
        Optional<KnownModel> known = snapshots.values().stream().findFirst();
        known.ifPresent(first -> snapshots.values().forEach(it -> it.requireSameShape(first)));
        Optional<Segments> segments =
                Optional.ofNullable(by).map(feature -> new Segments(feature, maxSegments));
        LogColumns columns = new LogColumns(segments, !files.isEmpty());
        LoadedLog log = logOptions.load(known, output, columns::add);
        log.requirePropensities(
                "estimate them with train --prior learned, which also reports estimates");
        List<Target> targets = targets(log, columns, snapshots, files);
        EvaluationSettings settings = new EvaluationSettings(tau, delta);
        Optional<Segments.Division> division = segments.map(Segments::divide);
        List<List<PolicyResult>> results =
                new Evaluation(log, columns, settings, division, rewards(log)).run(targets);
        if (plot != null) {
            IntervalPlot.write(plot, log.loop(), results, division);
            output.note("plot written to " + plot);
        }
        output.print(
                new EvaluateReport(log, settings, columns.notExact(), results, division).report());
        return ExitCode.DONE;
    }

    private void requireOptions() {
        if (new LinkedHashSet<>(policies).size() < policies.size()) {
            throw new BadInputException("--policy must name each policy once");
        }
        if (plot != null) {
            if (!plot.toString().endsWith(".svg")) {
                throw new BadInputException("--plot must be a file .svg, got " + plot);
            }
            Path directory = plot.toAbsolutePath().getParent();
            if (directory == null || !Files.isDirectory(directory)) {
                throw new BadInputException(
                        "--plot %s: its directory does not exist".formatted(plot));
            }
        }
    }

    private List<Target> targets(
            LoadedLog log,
            LogColumns columns,
            Map<String, KnownModel> snapshots,
            Map<String, TargetFile> files) {
        List<Target> targets = new ArrayList<>();
        for (String name : policies) {
            KnownModel snapshot = snapshots.get(name);
            TargetFile file = files.get(name);
            if (snapshot != null) {
                targets.add(Target.of(name, served(snapshot), log.examples()));
            } else if (file != null) {
                targets.add(given(name, file, log, columns));
            } else if (name.equals(UNIFORM)) {
                targets.add(Target.uniform(name, log.shape(), log.examples()));
            } else {
                targets.add(Target.first(name, log.shape(), log.examples()));
            }
        }
        return targets;
    }

    private Policy served(KnownModel snapshot) {
        Policy policy = served.policy(snapshot.snapshot());
        if (policy.rule().kind() == PolicyKind.MIXED_LOGIT) {
            output.note(
                    "the probabilities of a mixed logit have no closed form; evaluating the softmax of"
                            + " its mean instead");
        }
        return policy;
    }

    private Target given(String name, TargetFile file, LoadedLog log, LogColumns columns) {
        GivenProbabilities target =
                GivenProbabilities.read(
                        name, file, log.shape(), log.examples(), columns.eventIds());
        if (target.unused() > 0) {
            output.note("%s: %,d events are not in the log".formatted(name, target.unused()));
        }
        if (!target.isComplete()) {
            output.note(
                    "%s: no doubly robust estimate without the probabilities of all actions"
                            .formatted(name));
        }
        return target;
    }

    private Optional<CrossFittedRewardModel> rewards(LoadedLog log) {
        if (folds == 0) {
            return Optional.empty();
        }
        if (log.examples().size() < folds) {
            output.note(
                    "no doubly robust estimate: --folds %d needs at least as many examples"
                            .formatted(folds));
            return Optional.empty();
        }
        output.note("fitting the reward model for the doubly robust estimate");
        return Optional.of(
                BadInputException.ifRefused(
                        "--folds",
                        () ->
                                CrossFittedRewardModel.fit(
                                        log.examples(), log.shape(), folds, RidgeConfig.DEFAULT)));
    }
}
