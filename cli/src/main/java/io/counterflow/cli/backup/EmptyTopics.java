package io.counterflow.cli.backup;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topics of a restore. Until they are opened, they take the timestamps of the backup and keep
 * all records. Neither the job nor serving starts on such topics, so an incomplete restore cannot
 * be used by mistake.
 */
final class EmptyTopics implements AutoCloseable {

    private static final Map<String, String> WHILE_RESTORING =
            Map.of(
                    "message.timestamp.type", "CreateTime",
                    "cleanup.policy", "delete",
                    "retention.ms", "-1");

    private static final int MAX_ATTEMPTS = 600;
    private static final long PAUSE_MS = 100;

    private final Admin admin;
    private final Map<ConfigResource, Collection<AlterConfigOp>> opening = new HashMap<>();

    private EmptyTopics(Admin admin) {
        this.admin = admin;
    }

    /**
     * Creates missing topics.
     *
     * @throws BadInputException if a topic is not empty, or has another number of partitions
     */
    static EmptyTopics prepare(JobConfig job, Map<Topic, BackupDirectory.Copied> copied) {
        EmptyTopics topics = new EmptyTopics(Admin.create(job.kafka().properties()));
        try {
            copied.forEach((topic, it) -> topics.require(job, topic, it.ends().size()));
            copied.keySet().forEach(topic -> topics.prepare(job.topics().name(topic)));
            return topics;
        } catch (RuntimeException e) {
            topics.close();
            throw e;
        }
    }

    private void require(JobConfig job, Topic topic, int partitions) {
        String name = job.topics().name(topic);
        Optional<TopicDescription> existing = describe(name);
        if (existing.isEmpty()) {
            NewTopic like = job.topicSettings().toNewTopic(topic, name);
            short replicas = like.replicationFactor();
            Await.of(
                    admin.createTopics(
                                    List.of(
                                            new NewTopic(
                                                            name,
                                                            Optional.of(partitions),
                                                            replicas < 1
                                                                    ? Optional.empty()
                                                                    : Optional.of(replicas))
                                                    .configs(like.configs())))
                            .all());
            awaitCreation(name);
            return;
        }
        if (existing.get().partitions().size() != partitions) {
            throw new BadInputException(
                    "%s must have %d partitions, as in the backup, got %d"
                            .formatted(name, partitions, existing.get().partitions().size()));
        }
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        IntStream.range(0, partitions)
                .forEach(it -> latest.put(new TopicPartition(name, it), OffsetSpec.latest()));
        Await.of(admin.listOffsets(latest).all())
                .forEach(
                        (partition, end) -> {
                            if (end.offset() > 0) {
                                throw new BadInputException(
                                        "%s must be empty, but has had %d records; delete the topic, or restore to other brokers"
                                                .formatted(partition, end.offset()));
                            }
                        });
    }

    private Optional<TopicDescription> describe(String name) {
        try {
            return Optional.ofNullable(
                    Await.of(admin.describeTopics(List.of(name)).allTopicNames()).get(name));
        } catch (UnknownTopicOrPartitionException e) {
            return Optional.empty();
        }
    }

    /** A broker may not know a new topic yet. */
    private void awaitCreation(String name) {
        for (int attempt = 0; describe(name).isEmpty(); attempt++) {
            if (attempt == MAX_ATTEMPTS) {
                throw new KafkaException("Kafka does not list the created topic " + name);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new KafkaException("interrupted while waiting for Kafka", e);
            }
        }
    }

    private void prepare(String name) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        var config =
                Objects.requireNonNull(
                        Await.of(admin.describeConfigs(List.of(resource)).all()).get(resource));
        List<AlterConfigOp> closing = new ArrayList<>();
        List<AlterConfigOp> reopening = new ArrayList<>();
        WHILE_RESTORING.forEach(
                (key, value) -> {
                    ConfigEntry before = config.get(key);
                    boolean ofTopic =
                            before.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG;
                    closing.add(op(key, value, AlterConfigOp.OpType.SET));
                    reopening.add(
                            op(
                                    key,
                                    ofTopic ? before.value() : "",
                                    ofTopic
                                            ? AlterConfigOp.OpType.SET
                                            : AlterConfigOp.OpType.DELETE));
                });
        opening.put(resource, reopening);
        Await.of(admin.incrementalAlterConfigs(Map.of(resource, closing)).all());
    }

    private static AlterConfigOp op(String key, String value, AlterConfigOp.OpType type) {
        return new AlterConfigOp(new ConfigEntry(key, value), type);
    }

    Admin admin() {
        return admin;
    }

    /** Gives the topics their own settings again. */
    void open() {
        Await.of(admin.incrementalAlterConfigs(opening).all());
    }

    @Override
    public void close() {
        admin.close();
    }
}
