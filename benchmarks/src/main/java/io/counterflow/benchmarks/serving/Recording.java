package io.counterflow.benchmarks.serving;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * What rank answers to some requests and writes to Kafka.
 *
 * @param records the records of the impressions
 * @param answerBytes mean size of the answers
 */
record Recording(String loop, List<byte[]> records, int answerBytes) {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration MAX_WAIT = Duration.ofMinutes(1);

    /** Sends each body to rank, and reads the impressions from Kafka. */
    static Recording of(Server serving, String loop, List<byte[]> bodies)
            throws IOException, InterruptedException {
        Set<String> eventIds = new HashSet<>();
        long bytes = 0;
        for (byte[] body : bodies) {
            byte[] answer = serving.call("POST", Server.rankPath(loop), body);
            JsonNode json = MAPPER.readTree(answer);
            eventIds.add(json.required("eventId").asText());
            bytes += answer.length;
        }
        return new Recording(
                loop,
                read(serving.broker().bootstrapServers(), eventIds),
                (int) (bytes / bodies.size()));
    }

    private static List<byte[]> read(String bootstrapServers, Set<String> eventIds)
            throws IOException {
        List<byte[]> records = new ArrayList<>();
        try (KafkaConsumer<String, byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers),
                        new StringDeserializer(),
                        new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(Server.PREFIX + ".impressions").stream()
                            .map(it -> new TopicPartition(it.topic(), it.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = System.nanoTime() + MAX_WAIT.toNanos();
            while (records.size() < eventIds.size()) {
                if (System.nanoTime() > end) {
                    throw new IOException("the impressions are not in Kafka");
                }
                for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
                    if (eventIds.contains(record.key())) {
                        records.add(record.value());
                    }
                }
            }
        }
        return records;
    }

    int recordBytes() {
        return (int) records.stream().mapToInt(record -> record.length).average().orElse(0);
    }

    static void write(List<Recording> recordings, Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
            out.writeInt(recordings.size());
            for (Recording recording : recordings) {
                out.writeUTF(recording.loop);
                out.writeInt(recording.answerBytes);
                out.writeInt(recording.records.size());
                for (byte[] record : recording.records) {
                    out.writeInt(record.length);
                    out.write(record);
                }
            }
        }
    }

    static List<Recording> readAll(Path file) throws IOException {
        List<Recording> recordings = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                String loop = in.readUTF();
                int answerBytes = in.readInt();
                List<byte[]> records = new ArrayList<>();
                int size = in.readInt();
                for (int r = 0; r < size; r++) {
                    records.add(in.readNBytes(in.readInt()));
                }
                recordings.add(new Recording(loop, records, answerBytes));
            }
        }
        return recordings;
    }

    /** A body of the size of an answer. */
    byte[] answer() {
        return " ".repeat(answerBytes).getBytes(StandardCharsets.US_ASCII);
    }
}
