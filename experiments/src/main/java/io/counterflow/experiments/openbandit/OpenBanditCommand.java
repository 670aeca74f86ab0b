package io.counterflow.experiments.openbandit;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.core.estimate.Interval;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.ResultTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Off-policy estimates on the Open Bandit Dataset. */
@Command(
        name = "open-bandit",
        description =
                "Estimate the click rates of the two policies of the Open Bandit Dataset from each"
                        + " other's logs, beside their own click rates.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = "  counterflow experiment open-bandit --data data/open-bandit --out results")
public final class OpenBanditCommand implements Callable<Integer> {

    private static final String NAME = "open-bandit";

    @Mixin private final Output output;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            required = true,
            description =
                    "Directory with bts-prior.yaml and, for men and women, random-men.csv.gz,"
                            + " bts-men.csv.gz and random-men-item_context.csv.")
    private Path data = Path.of("");

    @Option(
            names = "--draws",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of simulated decisions of the Thompson sampler. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int draws = 100_000;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the simulation. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Directory for the tables. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("counterflow-experiments");

    public OpenBanditCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        List<String> campaigns =
                OpenBanditEstimates.CAMPAIGNS.stream().filter(this::isThere).toList();
        if (campaigns.isEmpty() || !Files.exists(data.resolve("bts-prior.yaml"))) {
            throw new BadInputException(
                    "--data %s must have bts-prior.yaml and %s"
                            .formatted(data, String.join(", ", OpenBanditEstimates.files("men"))));
        }
        Files.createDirectories(out);
        Path work = Files.createTempDirectory("open-bandit");
        List<OpenBanditRow> rows = new ArrayList<>();
        try (Progress progress = output.progress(NAME, "campaigns", campaigns.size())) {
            OpenBanditEstimates estimates = new OpenBanditEstimates(data, work, draws, seed);
            for (String campaign : campaigns) {
                rows.addAll(estimates.rows(campaign));
                progress.advance(1);
            }
        } finally {
            delete(work);
        }
        ExperimentReport report = report(rows);
        report.write(out);
        output.print(report);
        return ExitCode.DONE;
    }

    private boolean isThere(String campaign) {
        return OpenBanditEstimates.files(campaign).stream()
                .allMatch(file -> Files.exists(data.resolve(file)));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private ExperimentReport report(List<OpenBanditRow> rows) {
        ResultTable<OpenBanditRow> table =
                new ResultTable<>(rows)
                        .values("campaign", OpenBanditRow::campaign)
                        .values("policy", OpenBanditRow::policy)
                        .values("log", OpenBanditRow::log)
                        .values("estimator", OpenBanditRow::estimator)
                        .numbers("value", "estimate", OpenBanditRow::value, OpenBanditCommand::rate)
                        .values("normal", "normal interval", it -> "", it -> text(it.normal()))
                        .values(
                                "guaranteed",
                                "guaranteed interval",
                                it -> "",
                                it -> it.guaranteed().map(OpenBanditCommand::text).orElse(""))
                        .numbers(
                                "clicks",
                                "own click rate",
                                OpenBanditRow::clicks,
                                OpenBanditCommand::rate)
                        .values(
                                "clicksInterval",
                                "its interval",
                                it -> "",
                                it -> text(it.clicksInterval()))
                        .numbers(
                                "published",
                                "full dataset",
                                OpenBanditRow::published,
                                OpenBanditCommand::rate);
        return new ExperimentReport(NAME, introduction(), table).measurements(measurements(rows));
    }

    private String introduction() {
        return String.format(
                Locale.ROOT,
                "Estimated click rates of each policy from the log of the other one, with intervals of"
                        + " 95 %%, beside the click%nrate in its own log and that of the full dataset. The"
                        + " probabilities of bts are simulated with %,d draws, seed %d.",
                draws,
                seed);
    }

    private static ResultTable<OpenBanditRow> measurements(List<OpenBanditRow> rows) {
        return new ResultTable<>(rows)
                .values("campaign", OpenBanditRow::campaign)
                .values("policy", OpenBanditRow::policy)
                .values("log", OpenBanditRow::log)
                .values("estimator", OpenBanditRow::estimator)
                .values("value", OpenBanditRow::value)
                .values("normalLower", it -> it.normal().lower())
                .values("normalUpper", it -> it.normal().upper())
                .values("guaranteedLower", it -> end(it, true))
                .values("guaranteedUpper", it -> end(it, false))
                .values("ownClickRate", OpenBanditRow::clicks)
                .values("ownLower", it -> it.clicksInterval().lower())
                .values("ownUpper", it -> it.clicksInterval().upper())
                .values("published", OpenBanditRow::published)
                .values("effectiveSampleSize", OpenBanditRow::effectiveSampleSize);
    }

    private static String end(OpenBanditRow row, boolean lower) {
        return row.guaranteed()
                .map(it -> Double.toString(lower ? it.lower() : it.upper()))
                .orElse("");
    }

    private static String text(Interval interval) {
        return rate(interval.lower()) + " to " + rate(interval.upper());
    }

    private static String rate(double rate) {
        return String.format(Locale.ROOT, "%.4f", rate);
    }
}
