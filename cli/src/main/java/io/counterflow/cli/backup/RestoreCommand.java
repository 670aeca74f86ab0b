package io.counterflow.cli.backup;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.streaming.BrokerWait;
import io.counterflow.cli.streaming.JobConfigOption;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Copies the topics of a backup back to Kafka. */
@Command(
        name = "restore",
        description = {
            "Copy the topics of a backup to Kafka, where they must be missing or empty.",
            "",
            "Neither the job nor serving may run. Records of the topics that the job reads get their"
                    + " old offsets, so that the job continues from the savepoint of the backup."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow restore --config counterflow.yaml --in backup-2026-11-19"})
public final class RestoreCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final JobConfigOption config = new JobConfigOption();

    @Option(
            names = "--in",
            required = true,
            paramLabel = "DIR",
            description = "Directory of a backup.")
    private Path in = Path.of("");

    public RestoreCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        JobConfig job = config.read();
        BackupDirectory backup = new BackupDirectory(in);
        BackupDirectory.Manifest manifest = backup.manifest();
        if (!manifest.prefix().equals(job.topics().prefix())) {
            throw new BadInputException(
                    "kafka.topic-prefix must be %s, that of the backup, got %s: the state of the job names its topics"
                            .formatted(manifest.prefix(), job.topics().prefix()));
        }
        BrokerWait.await(job.kafka(), output);
        long records = 0;
        try (EmptyTopics topics = EmptyTopics.prepare(job, manifest.topics())) {
            for (Map.Entry<Topic, BackupDirectory.Copied> entry : manifest.topics().entrySet()) {
                restore(job, backup, entry.getKey(), entry.getValue(), topics);
                records += entry.getValue().records();
            }
            topics.open();
        }
        output.print(
                new FieldReport()
                        .field("in", in)
                        .field("prefix", manifest.prefix())
                        .field("records", records)
                        .line(
                                "%s of the backup of %s restored",
                                Figures.count(records, "record", "records"), manifest.time())
                        .line("start the job from the savepoint of the backup: --from-savepoint"));
        return ExitCode.DONE;
    }

    private void restore(
            JobConfig job,
            BackupDirectory backup,
            Topic topic,
            BackupDirectory.Copied copied,
            EmptyTopics topics)
            throws IOException {
        AtomicLong read = new AtomicLong();
        try (Progress progress =
                        output.progress(
                                "restoring " + topic.suffix(), "records", copied.records());
                RestoredTopic restored =
                        new RestoredTopic(job, topic, copied.ends(), topics.admin())) {
            TopicFile.read(
                    backup.file(topic),
                    record -> {
                        restored.write(record);
                        read.incrementAndGet();
                        progress.advance(1);
                    });
            if (read.get() != copied.records()) {
                throw new IOException(
                        "%s must have %d records, got %d"
                                .formatted(backup.file(topic), copied.records(), read.get()));
            }
            restored.finish();
        }
    }
}
