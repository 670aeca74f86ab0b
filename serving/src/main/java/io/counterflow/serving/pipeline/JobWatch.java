package io.counterflow.serving.pipeline;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Asks Kafka every other second where the job is, on a thread of its own. */
final class JobWatch implements AutoCloseable {

    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final Duration MAX_ANSWER = Duration.ofSeconds(4);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);

    private final KafkaConfig kafka;
    private final List<String> read;
    private final String group;
    private final JobProgress<TopicPartition> progress;
    private final Thread thread = new Thread(this::run, "watch-job");
    private volatile boolean closed;

    private JobWatch(
            KafkaConfig kafka, Topics topics, String group, JobProgress<TopicPartition> progress) {
        this.kafka = kafka;
        this.read = topics.names(List.of(Topic.IMPRESSIONS, Topic.REWARDS));
        this.group = group;
        this.progress = progress;
    }

    /**
     * Begins to watch.
     *
     * @param group under which the job commits its places
     */
    static JobWatch start(
            KafkaConfig kafka, Topics topics, String group, JobProgress<TopicPartition> progress) {
        JobWatch watch = new JobWatch(kafka, topics, group, progress);
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    private void run() {
        while (!closed) {
            try (Admin admin = Admin.create(properties())) {
                List<TopicPartition> partitions = partitions(admin);
                while (!closed) {
                    progress.take(ends(admin, partitions), places(admin, partitions));
                    TimeUnit.MILLISECONDS.sleep(INTERVAL.toMillis());
                }
            } catch (ExecutionException | TimeoutException | KafkaException e) {
                pause(); // the silence itself is what is shown
            } catch (InterruptedException e) {
                return; // closed
            }
        }
    }

    private Properties properties() {
        Properties properties = kafka.properties();
        String timeout = Long.toString(MAX_ANSWER.toMillis());
        properties.setProperty("default.api.timeout.ms", timeout);
        properties.setProperty("request.timeout.ms", timeout);
        properties.setProperty("reconnect.backoff.max.ms", "1000");
        return properties;
    }

    private List<TopicPartition> partitions(Admin admin)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<TopicPartition> partitions = new ArrayList<>();
        for (TopicDescription topic :
                admin.describeTopics(read)
                        .allTopicNames()
                        .get(MAX_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                        .values()) {
            topic.partitions()
                    .forEach(
                            it -> partitions.add(new TopicPartition(topic.name(), it.partition())));
        }
        return partitions;
    }

    private static Map<TopicPartition, Long> ends(Admin admin, List<TopicPartition> partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions.forEach(it -> wanted.put(it, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end :
                admin.listOffsets(wanted)
                        .all()
                        .get(MAX_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                        .entrySet()) {
            ends.put(end.getKey(), end.getValue().offset());
        }
        return ends;
    }

    private Map<TopicPartition, Long> places(Admin admin, List<TopicPartition> partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get(MAX_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        Map<TopicPartition, Long> places = new HashMap<>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata place = committed.get(partition);
            if (place != null) { // null where the job has not been yet
                places.put(partition, place.offset());
            }
        }
        return places;
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(INTERVAL.toMillis());
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(MAX_STOP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
