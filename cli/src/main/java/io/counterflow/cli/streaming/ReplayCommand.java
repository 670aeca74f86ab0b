package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.LogFiles;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends a log to Kafka. */
@Command(
        name = "replay",
        description = {
            "Send the impressions of a log, with rewards and recorded times, to the topic that the "
                    + "job reads.",
            "A job that has already read later impressions treats these as late."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow replay --log clicks.jsonl --config counterflow.yaml",
            "  counterflow replay --log clicks.jsonl --config counterflow.yaml --spec home.json",
            "  counterflow replay --log day.avro --config counterflow.yaml --rate 5000",
            "  counterflow replay --log day.jsonl.gz --loop home --config counterflow.yaml "
                    + "--as-recorded"
        })
public final class ReplayCommand implements Callable<Integer> {

    private final Terminal terminal;
    @Mixin private final Output output;
    @Mixin private final LogFiles files = new LogFiles();
    @Mixin private final JobConfigOption config = new JobConfigOption();

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = Ranges.Positive.class,
            description = "Impressions per second. Default: as fast as possible.")
    private @Nullable Double rate;

    @Option(names = "--as-recorded", description = "Keep the recorded pauses between impressions.")
    private boolean asRecorded;

    @Option(
            names = "--spec",
            paramLabel = "FILE",
            description =
                    "JSON file with a loop spec. Creates each loop of the log with this spec before "
                            + "its first impression.")
    private @Nullable Path spec;

    public ReplayCommand(Terminal terminal) {
        this.terminal = terminal;
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws Exception {
        if (rate != null && asRecorded) {
            throw new BadInputException("--rate and --as-recorded must not be given together");
        }
        JobConfig read = config.read();
        Optional<Replay.FirstSpec> given = Optional.empty();
        if (spec != null) {
            byte[] json = Files.readAllBytes(spec);
            LoopSpecJson reader = new LoopSpecJson(JsonLimits.defaults());
            given =
                    Optional.of(
                            (loop, time) ->
                                    BadInputException.ifRefused(
                                            "--spec " + spec,
                                            () -> reader.read(json, loop, 1, time)));
        }
        BrokerWait.await(read.kafka(), output);
        try (ImpressionProducer producer = ImpressionProducer.connect(read)) {
            Replay replay = new Replay(producer, pace(), read, Clock.systemUTC(), given);
            long skipped = files.read(output, replay::send);
            finish(replay);
            if (replay.outOfOrder() > 0) {
                output.warn(
                        "%s older than an earlier one by more than watermarks.max-out-of-orderness, and may be late"
                                .formatted(
                                        Figures.count(
                                                replay.outOfOrder(),
                                                "impression is",
                                                "impressions are")));
            }
            output.print(replay.report(skipped));
        }
        return ExitCode.DONE;
    }

    private void finish(Replay replay) throws InterruptedException {
        if (!replay.finish()) {
            output.warn(
                    "the last attribution windows end in the future; the job emits their examples "
                            + "after heartbeats of serving or another replay have passed them");
        }
    }

    private Pace pace() {
        double fastest = rate == null ? Double.POSITIVE_INFINITY : rate;
        return new Pace(
                asRecorded ? Pace.AS_RECORDED : fastest,
                terminal.nanoTime(),
                TimeUnit.NANOSECONDS::sleep);
    }
}
