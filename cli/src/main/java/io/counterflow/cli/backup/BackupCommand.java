package io.counterflow.cli.backup;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.exports.TopicScan;
import io.counterflow.cli.streaming.BrokerWait;
import io.counterflow.cli.streaming.JobConfigOption;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Copies the topics of a deployment to files. */
@Command(
        name = "backup",
        description = {
            "Copy the topics of a deployment to files.",
            "",
            "Stop the job with a savepoint first: a savepoint and topics belong together only if the"
                    + " job has written nothing in between. Serving may run. Back up"
                    + " storage.directory as well, which has the savepoint and large snapshots."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow backup --config counterflow.yaml --out backup-2026-11-19"})
public final class BackupCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final JobConfigOption config = new JobConfigOption();

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "Directory to write; it must be empty or new.")
    private Path out = Path.of("");

    public BackupCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        JobConfig job = config.read();
        BackupDirectory backup = new BackupDirectory(out);
        backup.create();
        BrokerWait.await(job.kafka(), output);
        Instant time = Instant.now();
        Map<Topic, BackupDirectory.Copied> copied = copy(job, backup);
        backup.complete(new BackupDirectory.Manifest(time, job.topics().prefix(), copied));
        FieldReport report =
                new FieldReport().field("out", out).field("prefix", job.topics().prefix());
        Table table = Table.withColumns("topic", "records");
        Map<String, Long> records = new HashMap<>();
        copied.forEach(
                (topic, done) -> {
                    table.row(job.topics().name(topic), done.records());
                    records.put(topic.suffix(), done.records());
                });
        output.print(
                report.field("records", records)
                        .table(table)
                        .line("written to %s", out)
                        .line("back up storage.directory as well, which has the savepoint"));
        return ExitCode.DONE;
    }

    private Map<Topic, BackupDirectory.Copied> copy(JobConfig job, BackupDirectory backup)
            throws IOException {
        Map<Topic, BackupDirectory.Copied> copied = new EnumMap<>(Topic.class);
        try (TopicReader reader = new TopicReader(rawValues(job.kafka()))) {
            List<String> names = job.topics().names(List.of(Topic.values()));
            // Of all topics at once: what is written from here on is not in the backup.
            Map<TopicPartition, Long> ends = reader.endOffsets(names);
            warnIfJobRuns(job, ends);
            TopicScan scan = new TopicScan(reader, output);
            for (Topic topic : Topic.values()) {
                Map<TopicPartition, Long> ofTopic = ofTopic(ends, job.topics().name(topic));
                try (TopicFile.Writer file = new TopicFile.Writer(backup.file(topic))) {
                    scan.read(
                            job.topics().name(topic),
                            "copying " + topic.suffix(),
                            ofTopic,
                            record -> file.write(TopicRecord.of(record)));
                    List<Long> byPartition = new ArrayList<>();
                    for (int partition = 0; partition < ofTopic.size(); partition++) {
                        byPartition.add(end(ofTopic, job.topics().name(topic), partition));
                    }
                    copied.put(topic, new BackupDirectory.Copied(file.records(), byPartition));
                }
            }
        }
        return copied;
    }

    private static Map<TopicPartition, Long> ofTopic(Map<TopicPartition, Long> ends, String name) {
        Map<TopicPartition, Long> ofTopic = new HashMap<>();
        ends.forEach(
                (partition, end) -> {
                    if (partition.topic().equals(name)) {
                        ofTopic.put(partition, end);
                    }
                });
        if (ofTopic.isEmpty()) {
            throw new BadInputException(
                    "there is no topic %s; kafka.bootstrap-servers and kafka.topic-prefix must be those of the job"
                            .formatted(name));
        }
        return ofTopic;
    }

    private static long end(Map<TopicPartition, Long> ends, String topic, int partition) {
        Long end = ends.get(new TopicPartition(topic, partition));
        if (end == null) {
            throw new IllegalStateException(
                    "Kafka does not list partition %d of %s".formatted(partition, topic));
        }
        return end;
    }

    /** With the bytes as they are on the topics, whatever their encoding is. */
    private static KafkaConfig rawValues(KafkaConfig kafka) {
        Map<String, String> settings = new HashMap<>(kafka.clientProperties());
        settings.put("allow.auto.create.topics", "false");
        return new KafkaConfig(kafka.bootstrapServers(), settings);
    }

    /** A running job has an open transaction, whose records a reader does not get. */
    private void warnIfJobRuns(JobConfig job, Map<TopicPartition, Long> committed) {
        List<String> written = job.topics().names(List.of(Topic.JOURNAL, Topic.LOOP_COUNTS));
        try (TopicReader reader = TopicReader.ofUncommitted(rawValues(job.kafka()))) {
            boolean open =
                    reader.endOffsets(written).entrySet().stream()
                            .anyMatch(
                                    it -> it.getValue() > committed.getOrDefault(it.getKey(), 0L));
            if (open) {
                output.warn(
                        "warning: the job is running, or was not stopped with a savepoint. This backup"
                                + " does not belong to any of its savepoints or checkpoints. Stop"
                                + " the job with a savepoint and take the backup then.");
            }
        }
    }
}
