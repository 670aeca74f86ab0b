package io.counterflow.cli.imports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Rejections;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.RewardRangeConverter;
import io.counterflow.cli.console.Terminal;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.RewardRange;
import io.counterflow.schemas.log.DamagedFileException;
import io.counterflow.schemas.log.LogFormat;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.log.ReadProgress;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Turns logs of other programs into a log of Counterflow. */
@Command(
        name = "import",
        description = {
            "Turn logs of other programs into a log of Counterflow.",
            "",
            "Records that are not valid decisions are rejected, counted by reason, and named by"
                    + " their line. Memory does not grow with the size of the logs."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow import --format dsjson --in events.json.gz --out log.jsonl.gz",
            "  counterflow import --format vw-text --in train.dat --out log.avro",
            "  counterflow import --format vw-text --actions 4 --in cb.dat --out log.jsonl",
            "  counterflow import --format csv --mapping m.yaml --in a.csv b.csv --out log.jsonl",
            "  counterflow import --format open-bandit --actions 34 --in men.csv --out men.jsonl.gz",
            "  counterflow import --format jsonl --reward-range=-1,1 --in raw.jsonl --out log.jsonl"
        })
public final class ImportCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORMAT",
            converter = ImportFormat.Converter.class,
            description =
                    "dsjson (decision-service JSON of Vowpal Wabbit and Azure Personalizer), vw-text"
                            + " (Vowpal Wabbit's text), open-bandit (Open Bandit Dataset), csv or"
                            + " jsonl (Counterflow's own).")
    private ImportFormat format = ImportFormat.JSONL;

    @Option(
            names = "--in",
            required = true,
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files to read, compressed with gzip or not.")
    private List<Path> in = List.of();

    @Option(
            names = "--out",
            required = true,
            paramLabel = "LOG",
            description = "Log to write: .jsonl, .jsonl.gz or .avro.")
    private Path out = Path.of("");

    @Option(
            names = "--loop",
            paramLabel = "NAME",
            description =
                    "Loop of the decisions; jsonl has it in each line. Default: ${DEFAULT-VALUE}.")
    private String loop = "default";

    @Option(
            names = "--reward-range",
            paramLabel = "LOWER,UPPER",
            converter = RewardRangeConverter.class,
            description =
                    "Range of the log's rewards, mapped to [0, 1]: (r - LOWER)/(UPPER - LOWER). A"
                            + " cost is a negative reward. Other rewards are rejected. Default:"
                            + " 0,1.")
    private RewardRange rewardRange = RewardRange.UNIT;

    @Option(
            names = "--actions",
            paramLabel = "K",
            converter = Ranges.Count.class,
            description =
                    "vw-text: the log has a line per decision with labels of K actions, not a line"
                            + " per action. open-bandit: number of items without --item-context.")
    private @Nullable Integer actions;

    @Option(
            names = "--item-context",
            paramLabel = "FILE",
            description = "open-bandit: item_context.csv of the campaign.")
    private @Nullable Path itemContext;

    @Option(
            names = "--mapping",
            paramLabel = "FILE",
            description = "csv: YAML or JSON file that says which columns have what.")
    private @Nullable Path mapping;

    @Option(
            names = "--rejected",
            paramLabel = "FILE",
            description =
                    "File for the line and the reason of every rejected record, as JSON lines."
                            + " Without it, the first 20 are printed.")
    private @Nullable Path rejected;

    public ImportCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        requireOptions();
        ForeignLog source = source();
        try (Rejections<Rejection> rejections = new Rejections<>(output, rejected);
                LogWriter log = LogWriter.create(out)) {
            Intake intake = new Intake(log, rejections);
            read(source, intake);
            rejections.finish();
            if (intake.imported() == 0) {
                throw new BadInputException(
                        "no record of %s could be imported"
                                .formatted(Figures.count(intake.records())));
            }
            log.finish();
            output.print(report(intake));
        }
        return ExitCode.DONE;
    }

    private void requireOptions() throws IOException {
        BadInputException.ifRefused("--out", () -> LogFormat.of(out));
        require(!loop.isEmpty(), "--loop must not be empty");
        requireOnly(actions != null, "--actions", ImportFormat.VW_TEXT, ImportFormat.OPEN_BANDIT);
        requireOnly(itemContext != null, "--item-context", ImportFormat.OPEN_BANDIT);
        requireOnly(mapping != null, "--mapping", ImportFormat.CSV);
        for (Path file : in) {
            require(!Files.isDirectory(file), "--in must be files, got the directory " + file);
            requireOther(file, out, "--out");
            if (rejected != null) {
                requireOther(file, rejected, "--rejected");
            }
        }
        require(
                rejected == null
                        || !out.toAbsolutePath()
                                .normalize()
                                .equals(rejected.toAbsolutePath().normalize()),
                "--out and --rejected must not be the same file");
    }

    private static void requireOther(Path input, Path written, String option) throws IOException {
        require(
                !Files.exists(written) || !Files.isSameFile(input, written),
                option + " must not be a file that is read, got " + written);
    }

    private void requireOnly(boolean given, String option, ImportFormat... formats) {
        boolean fits = !given || List.of(formats).contains(format);
        require(fits, option + " must not be given with --format " + format.word());
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new BadInputException(message);
        }
    }

    private ForeignLog source() throws IOException {
        RewardMapping rewards = new RewardMapping(rewardRange);
        return switch (format) {
            case DSJSON -> new Dsjson(loop, rewards);
            case VW_TEXT ->
                    actions == null
                            ? new VwText(loop, rewards)
                            : new VwSimpleText(loop, rewards, actions);
            case OPEN_BANDIT -> new OpenBandit(loop, rewards, items());
            case CSV -> {
                if (mapping == null) {
                    throw new BadInputException("--format csv needs --mapping FILE");
                }
                yield new MappedCsv(loop, rewards, CsvMapping.read(mapping));
            }
            case JSONL -> new Jsonl(rewards);
        };
    }

    private List<NamedAction> items() throws IOException {
        if (itemContext != null) {
            return OpenBanditItems.read(itemContext);
        }
        if (actions == null) {
            throw new BadInputException(
                    "--format open-bandit needs --item-context FILE, or --actions K for items"
                            + " without features");
        }
        return OpenBanditItems.numbered(actions);
    }

    private void read(ForeignLog source, Intake intake) throws IOException {
        long bytes = 0;
        for (Path file : in) {
            bytes += Files.size(file);
        }
        try (Progress progress = output.progress("importing", "kB", bytes / 1000)) {
            for (Path file : in) {
                long[] toldKb = new long[1];
                ReadProgress told =
                        (bytesRead, totalBytes) -> {
                            progress.advance(bytesRead / 1000 - toldKb[0]);
                            toldKb[0] = bytesRead / 1000;
                        };
                read(file, told, source, intake);
            }
        }
    }

    private static void read(Path file, ReadProgress told, ForeignLog source, Intake intake)
            throws IOException {
        intake.start(file);
        try (TextLines lines = TextLines.open(file, told)) {
            try {
                source.read(lines, String.valueOf(file.getFileName()), intake);
            } catch (DamagedFileException e) {
                intake.rejectRest(lines.number(), String.valueOf(e.getMessage()));
            }
        }
    }

    private Report report(Intake intake) {
        FieldReport report =
                new FieldReport()
                        .field("records", intake.records())
                        .field("imported", intake.imported())
                        .field("meanReward", intake.meanReward())
                        .field("out", out)
                        .line(
                                "imported %s of %s, mean reward %s",
                                Figures.count(intake.imported()),
                                Figures.count(intake.records(), "record", "records"),
                                Figures.of(intake.meanReward()));
        intake.rejections().addTo(report);
        intake.losses().addTo(report);
        return report.line("written to %s", out);
    }
}
