package io.counterflow.cli.exports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Rejections;
import io.counterflow.cli.console.RewardRangeConverter;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.console.Version;
import io.counterflow.cli.log.LogInput;
import io.counterflow.cli.streaming.JobConfigOption;
import io.counterflow.core.log.RewardRange;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.log.LogFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Turns decisions on topics or in logs into a file. */
@Command(
        name = "export",
        description = {
            "Write decisions with their rewards, from topics or logs, to a file.",
            "",
            "From topics, these are the decisions that the job has learned from until now. Memory"
                    + " does not grow with their number."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow export --config counterflow.yaml --format jsonl --out all.jsonl.gz",
            "  counterflow export --config c.yaml --loop home --format parquet --out h.parquet",
            "  counterflow export --config c.yaml --loop home --format jsonl --out h.jsonl.gz"
                    + " --policies p",
            "  counterflow export --config c.yaml --loop home --from 2026-01-01 --format avro --out"
                    + " h.avro",
            "  counterflow export --log home.jsonl.gz --format dsjson --out home.json.gz",
        })
public final class ExportCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORMAT",
            converter = ExportFormat.Converter.class,
            description =
                    "jsonl or avro (a log of Counterflow), dsjson (decision-service JSON of Vowpal"
                            + " Wabbit) or parquet (with the columns of the Open Bandit Pipeline).")
    private ExportFormat format = ExportFormat.JSONL;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Read topics, with the Kafka and the topic prefix of this configuration file of"
                            + " the job.")
    private @Nullable Path config;

    @Option(
            names = "--log",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Read log files instead: .jsonl, .jsonl.gz or .avro.")
    private List<Path> logs = List.of();

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE",
            description =
                    "File to write, which must not exist. dsjson is compressed if it ends in .gz.")
    private Path out = Path.of("");

    @Option(
            names = "--loop",
            paramLabel = "NAME",
            description =
                    "Only decisions of this loop. Default: all; dsjson has one loop in a file.")
    private @Nullable String loop;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = Selection.TimeConverter.class,
            description =
                    "Only decisions at or after this time: 2026-01-31 or 2026-01-31T12:00:00Z.")
    private Instant from = Instant.MIN;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            converter = Selection.TimeConverter.class,
            description = "Only decisions before this time.")
    private Instant to = Instant.MAX;

    @Option(
            names = "--policies",
            paramLabel = "DIR",
            description =
                    "With --config: new directory for the snapshots and specs that are on the"
                            + " topics. audit and evaluate read them.")
    private @Nullable Path policies;

    @Option(
            names = "--reward-range",
            paramLabel = "LOWER,UPPER",
            converter = RewardRangeConverter.class,
            description =
                    "With --log, for dsjson and parquet: the loop's rewardRange, to which rewards in"
                            + " [0, 1] are mapped. Default: 0,1. From topics it is known.")
    private @Nullable RewardRange rewardRange;

    @Option(
            names = "--actions",
            paramLabel = "K",
            converter = Ranges.Count.class,
            description =
                    "With --log: number of actions of decisions that do not list them. From topics"
                            + " it is known.")
    private @Nullable Integer actions;

    @Option(
            names = "--position",
            paramLabel = "FEATURE",
            description =
                    "parquet: context feature for the column position, such as slot.position."
                            + " Default: all are 0.")
    private @Nullable String position;

    @Option(
            names = "--skip-bad",
            description = "With --log: skip and count bad lines. Default: fail at the first one.")
    private boolean skipBad;

    @Option(
            names = "--rejected",
            paramLabel = "FILE",
            description =
                    "File for the decisions that the format cannot hold, with reasons, as JSON lines."
                            + " Without it, the first 20 are printed.")
    private @Nullable Path rejected;

    public ExportCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        requireOptions();
        DecisionSource source = source();
        Selection selection = new Selection(Optional.ofNullable(loop), from, to);
        try (Rejections<LeftOut> leftOut = new Rejections<>(output, rejected);
                DecisionWriter writer = writer()) {
            Export export = new Export(selection, writer, !format.isOwn(), leftOut);
            source.read(export);
            leftOut.finish();
            if (export.exported() == 0) {
                throw new BadInputException(
                        export.records() == 0
                                ? "there are no such decisions"
                                : "no decision of %s could be exported"
                                        .formatted(Figures.count(export.records())));
            }
            writer.finish();
            FieldReport report = new FieldReport();
            export.addTo(report);
            source.addTo(report);
            output.print(report.field("out", out).line("written to %s", out));
        }
        return ExitCode.DONE;
    }

    private void requireOptions() {
        require((config == null) == !logs.isEmpty(), "either --config or --log must be given");
        require(from.isBefore(to), "--from must be before --to");
        require(loop == null || !loop.isEmpty(), "--loop must not be empty");
        require(policies == null || config != null, "--policies must be given with --config only");
        boolean withLogs = rewardRange == null && actions == null && !skipBad;
        require(
                withLogs || config == null,
                "--reward-range, --actions and --skip-bad must be given with --log only");
        require(
                rewardRange == null || !format.isOwn(),
                "--reward-range must not be given with --format %s, whose rewards are in [0, 1]"
                        .formatted(format.word()));
        require(
                position == null || format == ExportFormat.PARQUET,
                "--position must be given with --format parquet only");
        require(!Files.exists(out), "--out must not exist yet, got " + out);
        require(
                rejected == null || !Files.exists(rejected),
                "--rejected must not exist yet, got " + rejected);
        if (format.isOwn()) {
            LogFormat named = BadInputException.ifRefused("--out", () -> LogFormat.of(out));
            require(
                    (named == LogFormat.AVRO) == (format == ExportFormat.AVRO),
                    "--out must end in %s with --format %s, got %s"
                            .formatted(
                                    format == ExportFormat.AVRO ? ".avro" : ".jsonl or .jsonl.gz",
                                    format.word(),
                                    out));
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new BadInputException(message);
        }
    }

    private DecisionSource source() throws IOException {
        if (config == null) {
            LoopFacts facts =
                    new LoopFacts(
                            rewardRange == null ? RewardRange.UNIT : rewardRange,
                            actions == null ? List.of() : LoopFacts.numbered(actions));
            return new LogSource(new LogInput(logs, skipBad), facts, output);
        }
        JobConfig job = JobConfigOption.read(config);
        PolicyFiles files = policies == null ? null : PolicyFiles.in(policies);
        return new JournalSource(job, !format.isOwn(), files, output);
    }

    private DecisionWriter writer() throws IOException {
        return switch (format) {
            case JSONL, AVRO -> new OwnLog(out);
            case DSJSON -> new DsjsonLog(out);
            case PARQUET ->
                    new ParquetLog(
                            out,
                            Optional.ofNullable(position)
                                    .map(name -> List.of(name.split("\\.", -1))),
                            "counterflow version " + Version.number());
        };
    }
}
