package io.counterflow.cli.exports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.schemas.topics.TopicReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads topics from their first record to the end that they have at the start. */
public final class TopicScan {

    /** Without a record for so long, the broker is away. */
    private static final Duration MAX_SILENCE = Duration.ofMinutes(1);

    private final TopicReader reader;
    private final Output output;

    /** Takes the records of a topic. */
    @FunctionalInterface
    public interface Taker {
        void take(ConsumerRecord<byte[], byte[]> record) throws IOException;
    }

    public TopicScan(TopicReader reader, Output output) {
        this.reader = reader;
        this.output = output;
    }

    /**
     * Reads a topic.
     *
     * @param label what the progress on standard error is called
     */
    void read(String topic, String label, Taker taker) throws IOException {
        Map<TopicPartition, Long> ends = reader.endOffsets(List.of(topic));
        if (ends.isEmpty()) {
            throw new BadInputException(
                    "there is no topic %s; kafka.bootstrap-servers and kafka.topic-prefix must be those of the job"
                            .formatted(topic));
        }
        read(topic, label, ends, taker);
    }

    /**
     * Reads a topic to given ends.
     *
     * @param label what the progress on standard error is called
     * @param ends the end of each partition
     */
    public void read(String topic, String label, Map<TopicPartition, Long> ends, Taker taker)
            throws IOException {
        reader.addFromBeginning(List.of(topic));
        long position = position(topic);
        long end = ends.values().stream().mapToLong(Long::longValue).sum();
        long movedNs = System.nanoTime();
        try (Progress progress = output.progress(label, "records", Math.max(0, end - position))) {
            while (!reader.hasReached(ends)) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll()) {
                    TopicPartition partition = new TopicPartition(topic, record.partition());
                    if (record.topic().equals(topic)
                            && record.offset() < ends.getOrDefault(partition, 0L)) {
                        taker.take(record);
                    }
                }
                long before = position;
                position = position(topic);
                if (position > before) {
                    progress.advance(position - before);
                    movedNs = System.nanoTime();
                } else if (System.nanoTime() - movedNs > MAX_SILENCE.toNanos()) {
                    throw new IllegalStateException(
                            "%s has sent nothing for %d seconds; the broker may be away"
                                    .formatted(topic, MAX_SILENCE.toSeconds()));
                }
            }
        }
    }

    private long position(String topic) {
        return reader.positions(topic).values().stream().mapToLong(Long::longValue).sum();
    }
}
