package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.job.StoredState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the streaming job. */
@Command(
        name = "job",
        description =
                "Run the streaming job that joins rewards, learns and rolls out: on a cluster, or in "
                        + "this process.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow job --config counterflow.yaml --local",
            "  counterflow job --config counterflow.yaml --from-savepoint s3://bucket/savepoint-1",
            "  counterflow job --config counterflow.yaml --local --batch --json"
        })
public final class JobCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final JobConfigOption config = new JobConfigOption();

    @Option(
            names = "--local",
            description =
                    "Run in this process instead of on the cluster at cluster.address. Ctrl-C stops "
                            + "with a savepoint, and the next start goes on from there.")
    private boolean local;

    @Option(
            names = "--batch",
            description =
                    "Learn again from the whole log of examples, write to the topics of "
                            + "batch.topic-prefix, and end.")
    private boolean batch;

    @Option(
            names = "--from-savepoint",
            paramLabel = "PATH",
            description =
                    "Go on from this savepoint or checkpoint. Default: with --local the newest one "
                            + "of this deployment, on a cluster none.")
    private @Nullable String savepoint;

    public JobCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws Exception {
        if (batch && savepoint != null) {
            throw new BadInputException("--from-savepoint must not be given with --batch");
        }
        JobConfig read = config.read();
        RunMode mode = batch ? RunMode.BATCH : RunMode.LIVE;
        JobSetup setup = new JobSetup(read, mode);
        ensureTopics(setup, read);
        Optional<String> state = state(read);
        state.ifPresent(path -> output.note("going on from " + path));
        try (JobCluster cluster = local ? JobCluster.local(read) : JobCluster.remote(read)) {
            BatchReport.Before before = BatchReport.Before.of(read, mode);
            RunningJob job = cluster.submit(setup, state);
            output.note("job " + job.id() + " on " + cluster.address());
            if (mode == RunMode.BATCH) {
                output.print(before.report(job.awaitEnd()));
            } else if (local) {
                awaitStop(job, read);
            } else {
                output.print(new SubmissionReport(job.id(), cluster.address()));
            }
        }
        return ExitCode.DONE;
    }

    private void ensureTopics(JobSetup setup, JobConfig read) {
        try {
            List<String> made = setup.ensureTopics();
            if (!made.isEmpty()) {
                output.note("made the topics " + String.join(", ", made));
            }
        } catch (KafkaException e) {
            throw new IllegalStateException(
                    "Kafka at %s: %s".formatted(read.kafka().bootstrapServers(), e.getMessage()),
                    e);
        }
    }

    private Optional<String> state(JobConfig read) throws IOException {
        if (savepoint != null) {
            return Optional.of(savepoint);
        }
        return local && !batch
                ? new StoredState(read.run().checkpoints()).newest()
                : Optional.empty();
    }

    /** Until the job fails or this process is told to end. */
    private void awaitStop(RunningJob job, JobConfig read) throws Exception {
        output.note("Ctrl-C stops it with a savepoint");
        Thread stop =
                new Thread(
                        () -> output.note(job.stop(read.run().checkpoints().savepointDirectory())),
                        "stop-job");
        Runtime.getRuntime().addShutdownHook(stop);
        job.awaitEnd();
    }
}
