package io.counterflow.experiments.worlds;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitPool;
import io.counterflow.experiments.run.WorkUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Lets learners compete in simulated worlds. */
@Command(
        name = "worlds",
        description =
                "Compare learners in simulated worlds with a known truth: loops with default"
                        + " settings and with each learner alone, logistic regression and Vowpal"
                        + " Wabbit.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment worlds --data data/fashion-mnist",
            "  counterflow experiment worlds --worlds a,c50 --learners reward-model,logistic",
            "  counterflow experiment worlds --worlds a,d-dense --cpu"
        })
public final class WorldsCommand implements Callable<Integer> {

    private static final int TIMED_EVENTS = 20_000;

    @Mixin private final Output output;

    @Option(
            names = "--worlds",
            paramLabel = "NAME",
            split = ",",
            converter = Kinds.class,
            description =
                    "Worlds: a, a300, b, poor, c50, c200, d-dense, d-hashed, e, f, delayed,"
                            + " seasonal, daily, users, small. Default: all; f needs --data.")
    private @Nullable List<WorldKind> kinds;

    @Option(
            names = "--learners",
            paramLabel = "NAME",
            split = ",",
            converter = Contestants.class,
            description =
                    "Learners: immediate, gated, reward-model, lpr, logistic, vw-mtr, vw-ips,"
                            + " vw-dr, vw-squarecb. Default: all.")
    private List<Contestant> contestants = List.of(Contestant.values());

    @Option(
            names = "--first-seed",
            paramLabel = "N",
            description =
                    "First seed. Use other seeds for choosing settings than for reporting results."
                            + " Default: ${DEFAULT-VALUE}.")
    private long firstSeed = 31;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Number of seeds. Default: ${DEFAULT-VALUE}.")
    private int seeds = 5;

    @Option(
            names = "--events",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Maximum number of events of a stream. Default: those of the world, 60,000 to"
                            + " 300,000.")
    private int events = Integer.MAX_VALUE;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Files of Fashion-MNIST (train-images-idx3-ubyte.gz and so on), for f.")
    private @Nullable Path data;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of threads. Results do not depend on it. Default: one for each core.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--cpu",
            description =
                    "Also measure the CPU time of each learner for an example, on one thread and on"
                            + " the first 20,000 events.")
    private boolean cpu;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Directory for results, tables and plots. Existing results are kept."
                            + " Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("counterflow-experiments");

    public WorldsCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(out);
        List<WorldKind> worlds = worlds();
        WorldUnits units =
                new WorldUnits(worlds, available(), firstSeed, seeds, events, data(worlds));
        List<WorkUnit> work = units.all();
        try (ResultFile results = ResultFile.open(out.resolve(WorldUnits.NAME + ".csv"))) {
            int done;
            int found;
            try (Progress progress =
                            output.progress(WorldUnits.NAME, "events", results.examplesLeft(work));
                    UnitPool pool = new UnitPool(threads, results, progress)) {
                pool.run(work);
                done = pool.done();
                found = pool.found();
            }
            results.sort();
            WorldsReport report = new WorldsReport(units, results);
            ExperimentReport table =
                    report.table()
                            .fact("unitsDone", done)
                            .fact("unitsFound", found)
                            .note(
                                    "%s of work done, %d found"
                                            .formatted(
                                                    Figures.count(done, "unit", "units"), found));
            output.print(table);
            table.write(out);
            report.details().write(out);
            for (ExperimentReport plot : report.plots()) {
                plot.write(out);
            }
        }
        if (cpu) {
            ExperimentReport times = WorldsReport.times(times(units));
            output.print(times);
            times.write(out);
        }
        return ExitCode.DONE;
    }

    private List<LearningTime> times(WorldUnits units) {
        List<LearningTime> times = new ArrayList<>();
        long work = (long) units.kinds().size() * units.contestants().size();
        try (Progress progress = output.progress("cpu", "measurements", work)) {
            for (WorldKind kind : units.kinds()) {
                for (Contestant contestant : units.contestants()) {
                    times.add(
                            LearningTime.of(
                                    kind,
                                    contestant,
                                    kind.world(firstSeed, units.data()),
                                    Math.min(TIMED_EVENTS, units.events(kind))));
                    progress.advance(1);
                }
            }
        }
        return times;
    }

    private List<WorldKind> worlds() {
        if (kinds == null) {
            if (data == null) {
                output.note("skipping world f, which needs --data");
            }
            return Stream.of(WorldKind.values())
                    .filter(kind -> data != null || !kind.needsData())
                    .toList();
        }
        if (data == null && kinds.stream().anyMatch(WorldKind::needsData)) {
            throw new BadInputException("world f needs --data");
        }
        return kinds;
    }

    /** The learners without those of Vowpal Wabbit, if its native library cannot be loaded. */
    private List<Contestant> available() {
        if (contestants.stream().noneMatch(Contestant::isVowpalWabbit)) {
            return contestants;
        }
        String reason = VowpalWabbitAgent.unavailable();
        if (reason.isEmpty()) {
            return contestants;
        }
        output.note("skipping Vowpal Wabbit, whose native library cannot be loaded: " + reason);
        List<Contestant> others = contestants.stream().filter(it -> !it.isVowpalWabbit()).toList();
        if (others.isEmpty()) {
            throw new BadInputException("no learner is left");
        }
        return others;
    }

    private Optional<ClassificationData> data(List<WorldKind> worlds) throws IOException {
        if (data == null || worlds.stream().noneMatch(WorldKind::needsData)) {
            return Optional.empty();
        }
        output.note("reading " + data);
        return Optional.of(ClassificationData.read(data));
    }

    /** Converts the name of a world. */
    static final class Kinds implements ITypeConverter<WorldKind> {
        @Override
        public WorldKind convert(String text) {
            return named(WorldKind.values(), text);
        }
    }

    /** Converts the name of a learner. */
    static final class Contestants implements ITypeConverter<Contestant> {
        @Override
        public Contestant convert(String text) {
            return named(Contestant.values(), text);
        }
    }

    private static <T> T named(T[] values, String text) {
        String name = text.strip().toLowerCase(Locale.ROOT);
        for (T value : values) {
            if (value.toString().equals(name)) {
                return value;
            }
        }
        throw new TypeConversionException(
                "must be one of %s, got \"%s\""
                        .formatted(
                                String.join(", ", Stream.of(values).map(Object::toString).toList()),
                                text));
    }
}
