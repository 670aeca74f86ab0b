package io.counterflow.schemas.topics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Checks the topics of a deployment and creates missing topics. */
public final class TopicAdmin implements AutoCloseable {

    private static final Duration MAX_WAIT = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int MAX_ATTEMPTS = 300;
    private static final String MAX_TRANSACTION = "transaction.max.timeout.ms";

    private final Admin admin;
    private final Topics topics;
    private final TopicSettings settings;

    private TopicAdmin(Admin admin, Topics topics, TopicSettings settings) {
        this.admin = admin;
        this.topics = topics;
        this.settings = settings;
    }

    public static TopicAdmin connect(KafkaConfig kafka, Topics topics, TopicSettings settings) {
        return new TopicAdmin(Admin.create(kafka.properties()), topics, settings);
    }

    /** Waits until a broker answers. */
    public void awaitBroker() {
        var unused = await(admin.describeCluster().nodes());
    }

    /**
     * Creates missing topics and checks all topics.
     *
     * @param create whether to create missing topics; otherwise a missing topic is an error
     * @return the names of the created topics
     * @throws IllegalStateException if a topic is not suitable
     */
    public List<String> ensure(Collection<Topic> wanted, boolean create) {
        Map<Topic, TopicDescription> existing = describe(wanted);
        List<NewTopic> missing = new ArrayList<>();
        for (Topic topic : wanted) {
            if (!existing.containsKey(topic)) {
                missing.add(settings.toNewTopic(topic, topics.name(topic)));
            }
        }
        List<String> names = missing.stream().map(NewTopic::name).toList();
        if (!missing.isEmpty() && !create) {
            throw new IllegalStateException("missing topics: " + names);
        }
        missing.forEach(this::create);
        check(describeAll(wanted));
        return names;
    }

    private Map<Topic, TopicDescription> describe(Collection<Topic> wanted) {
        Map<Topic, TopicDescription> found = new HashMap<>();
        var futures = admin.describeTopics(topics.names(wanted)).topicNameValues();
        for (Topic topic : wanted) {
            try {
                found.put(topic, await(Objects.requireNonNull(futures.get(topics.name(topic)))));
            } catch (UnknownTopicOrPartitionException e) {
                found.remove(topic); // to be created
            }
        }
        return found;
    }

    /** Waits for all topics: a broker may not know a new topic yet. */
    private Map<Topic, TopicDescription> describeAll(Collection<Topic> wanted) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            Map<Topic, TopicDescription> found = describe(wanted);
            if (found.keySet().containsAll(wanted)) {
                return found;
            }
            pause();
        }
        throw new KafkaException("Kafka does not list the created topics");
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while waiting for Kafka", e);
        }
    }

    private void create(NewTopic topic) {
        try {
            await(admin.createTopics(List.of(topic)).all());
        } catch (TopicExistsException e) {
            // Another process created it at the same time; it is checked with all others.
        }
    }

    private void check(Map<Topic, TopicDescription> existing) {
        TopicDescription impressions = existing.get(Topic.IMPRESSIONS);
        TopicDescription rewards = existing.get(Topic.REWARDS);
        if (impressions != null
                && rewards != null
                && impressions.partitions().size() != rewards.partitions().size()) {
            throw new IllegalStateException(
                    "%s and %s must have the same number of partitions, got %d and %d"
                            .formatted(
                                    impressions.name(),
                                    rewards.name(),
                                    impressions.partitions().size(),
                                    rewards.partitions().size()));
        }
        checkConfigs(existing.keySet());
    }

    private void checkConfigs(Collection<Topic> existing) {
        Map<ConfigResource, Topic> resources = new HashMap<>();
        for (Topic topic : existing) {
            resources.put(new ConfigResource(ConfigResource.Type.TOPIC, topics.name(topic)), topic);
        }
        var configs = await(admin.describeConfigs(resources.keySet()).all());
        resources.forEach(
                (resource, topic) -> {
                    Config config = Objects.requireNonNull(configs.get(resource));
                    checkSize(resource.name(), config);
                    if (topic.hasBrokerTime()) {
                        checkTimestamps(resource.name(), config);
                    }
                });
    }

    /** A topic that refuses records of this size would make the job fail later. */
    private void checkSize(String topic, Config config) {
        int takes = Integer.parseInt(config.get("max.message.bytes").value());
        if (takes < settings.maxMessageBytes()) {
            throw new IllegalStateException(
                    "%s must have max.message.bytes of at least %d, got %d; or lower sink.max-record-size"
                            .formatted(topic, settings.maxMessageBytes(), takes));
        }
    }

    /** With timestamps of producers, one fast clock would close the windows of all loops. */
    private static void checkTimestamps(String topic, Config config) {
        String type = config.get(TopicSettings.TIMESTAMP_TYPE).value();
        if (!TopicSettings.LOG_APPEND_TIME.equals(type)) {
            throw new IllegalStateException(
                    "%s must have message.timestamp.type LogAppendTime, got %s; set it with: kafka-configs --alter --entity-type topics --entity-name %s --add-config message.timestamp.type=LogAppendTime"
                            .formatted(topic, type, topic));
        }
    }

    /**
     * Checks that brokers allow transactions of this length. If the user may not read the
     * configuration of brokers, nothing is checked; then Kafka refuses the first transaction.
     *
     * @throws IllegalStateException if they do not
     */
    public void requireTransactionTimeout(Duration timeout) {
        long maxMs;
        try {
            Node broker = await(admin.describeCluster().nodes()).iterator().next();
            ConfigResource resource =
                    new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
            Config config =
                    Objects.requireNonNull(
                            await(admin.describeConfigs(List.of(resource)).all()).get(resource));
            maxMs = Long.parseLong(config.get(MAX_TRANSACTION).value());
        } catch (AuthorizationException e) {
            return;
        }
        if (timeout.toMillis() > maxMs) {
            throw new IllegalStateException(
                    "brokers must have transaction.max.timeout.ms of at least %d (sink.transaction-timeout), got %d; raise it in their configuration, or lower sink.transaction-timeout and keep outages of the job shorter"
                            .formatted(timeout.toMillis(), maxMs));
        }
    }

    public int partitions(Topic topic) {
        TopicDescription description = describe(List.of(topic)).get(topic);
        if (description == null) {
            throw new IllegalStateException(topics.name(topic) + " must exist, but is missing");
        }
        return description.partitions().size();
    }

    private static <T> T await(KafkaFuture<T> future) {
        try {
            return future.get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e);
        } catch (TimeoutException e) {
            throw new KafkaException("Kafka did not answer within " + MAX_WAIT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while waiting for Kafka", e);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
