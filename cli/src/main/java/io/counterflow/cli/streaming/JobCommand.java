package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
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
                "Run the streaming job, which joins rewards, learns policies and rolls them out, on a "
                        + "Flink cluster or in this process.",
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
                    "Run in this process, not on the cluster at cluster.address. Ctrl-C stops the job "
                            + "with a savepoint; the next start continues from it.")
    private boolean local;

    @Option(
            names = "--batch",
            description =
                    "Learn again from the journal, write the results to the topics with the prefix "
                            + "batch.topic-prefix, and exit.")
    private boolean batch;

    @Option(
            names = "--from-savepoint",
            paramLabel = "PATH",
            description =
                    "Start from this savepoint or checkpoint. Default: with --local the newest one of "
                            + "this deployment; on a cluster none.")
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
        if (local && !batch) {
            StateLock lock = StateLock.take(read);
            try {
                return run(read, mode);
            } finally {
                lock.close();
            }
        }
        return run(read, mode);
    }

    private int run(JobConfig read, RunMode mode) throws Exception {
        JobSetup setup = new JobSetup(read, mode);
        ensureTopics(setup, read);
        Optional<String> state = state(read);
        state.ifPresent(path -> output.note("continuing from " + path));
        try (JobCluster cluster = local ? JobCluster.local(read) : JobCluster.remote(read)) {
            Optional<BatchResults> results =
                    batch ? Optional.of(new BatchResults(read)) : Optional.empty();
            RunningJob job = cluster.submit(setup, state);
            output.note("job " + job.id() + " on " + cluster.address());
            if (results.isPresent()) {
                output.print(results.get().report(job.awaitEnd()));
            } else if (local) {
                awaitStop(job, read);
            } else {
                output.print(
                        new FieldReport()
                                .field("jobId", job.id())
                                .field("cluster", cluster.address())
                                .line("submitted job %s to %s", job.id(), cluster.address()));
            }
        }
        return ExitCode.DONE;
    }

    private void ensureTopics(JobSetup setup, JobConfig read) {
        BrokerWait.await(read.kafka(), output);
        try {
            List<String> created = setup.ensureTopics();
            if (!created.isEmpty()) {
                output.note("created the topics " + String.join(", ", created));
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
                ? new StoredState(read.run().checkpoints()).newestReadable()
                : Optional.empty();
    }

    private void awaitStop(RunningJob job, JobConfig read) throws Exception {
        output.note("Ctrl-C stops the job with a savepoint");
        Thread stop =
                new Thread(
                        () -> output.note(job.stop(read.run().checkpoints().savepointDirectory())),
                        "stop-job");
        Runtime.getRuntime().addShutdownHook(stop);
        job.awaitEnd();
    }
}
