package io.counterflow.benchmarks.streaming;

import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.PriorityQueue;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes the records that are on the topics when a job starts: specs, decisions, rewards, and a
 * heartbeat per second of event time.
 */
final class Backlog implements AutoCloseable {

    /** The last heartbeat is after all windows. */
    private static final Duration AFTER_THE_LAST_DECISION = Duration.ofMinutes(1);

    private static final RewardRule RULE =
            new RewardRule(Traffic.WINDOW, 0.0, RewardAggregation.FIRST, false);

    private final Topics topics;
    private final Traffic traffic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);
    private final EventRandom random = new EventRandom(1);
    private final PriorityQueue<RewardRecord> waiting = // because topics are in time order
            new PriorityQueue<>(
                    Comparator.comparing(RewardRecord::getTime)
                            .thenComparing(RewardRecord::getEventId));

    Backlog(String bootstrapServers, String topicPrefix, Traffic traffic) {
        this.topics = new Topics(topicPrefix);
        this.traffic = traffic;
        Properties properties = new KafkaConfig(bootstrapServers, Map.of()).producerProperties();
        properties.setProperty("linger.ms", "20");
        properties.setProperty("batch.size", "131072");
        this.producer =
                new KafkaProducer<>(
                        properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Writes everything.
     *
     * @return the time of the last heartbeat
     */
    Instant write(int decisions) {
        for (int loop = 0; loop < traffic.loops(); loop++) {
            String name = traffic.loop(loop);
            LoopSpecRecord spec = LoopSpecConversion.toRecord(traffic.spec(name));
            send(Topic.LOOPS, name, WireCodec.of(LoopSpecRecord.class).encode(spec));
        }
        for (int i = 0; i < decisions; i++) {
            Instant time = Traffic.START.plusMillis(1L + i);
            rewardsUntil(time);
            decide(i, time);
            if (i % 1_000 == 0) {
                heartbeat(time);
            }
        }
        rewardsUntil(Instant.MAX);
        Instant end = Traffic.START.plusMillis(decisions).plus(AFTER_THE_LAST_DECISION);
        heartbeat(end);
        producer.flush();
        return end;
    }

    private void decide(int number, Instant time) {
        boolean rewarded = random.nextDouble() < Traffic.REWARDED;
        Impression impression =
                traffic.shape()
                        .impression(
                                number,
                                traffic.loop(number),
                                time,
                                RULE,
                                traffic.joined()
                                        ? OptionalDouble.empty()
                                        : OptionalDouble.of(rewarded ? 1.0 : 0.0));
        send(
                Topic.IMPRESSIONS,
                impression.eventId(),
                impressions.encode(conversion.toRecord(impression)));
        if (rewarded && traffic.joined()) {
            waiting.add(
                    new RewardRecord(
                            "r",
                            impression.eventId(),
                            impression.loop(),
                            time.plusMillis(random.nextInt((int) Traffic.WINDOW.toMillis())),
                            1.0,
                            RewardMetricRecord.REWARD));
        }
    }

    private void rewardsUntil(Instant time) {
        for (RewardRecord next = waiting.peek();
                next != null && !next.getTime().isAfter(time);
                next = waiting.peek()) {
            send(Topic.REWARDS, next.getEventId(), rewards.encode(next));
            waiting.remove();
        }
    }

    /** Advances event time on all partitions. */
    void heartbeat(Instant time) {
        byte[] value =
                WireCodec.of(HeartbeatRecord.class).encode(new HeartbeatRecord("benchmark", time));
        for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
            String name = topics.name(topic);
            for (int p = 0; p < producer.partitionsFor(name).size(); p++) {
                var unused = producer.send(new ProducerRecord<>(name, p, null, value));
            }
        }
    }

    private void send(Topic topic, String key, byte[] value) {
        var unused = // a missing record fails the run, which never reaches its end
                producer.send(
                        new ProducerRecord<>(
                                topics.name(topic), key.getBytes(StandardCharsets.UTF_8), value));
    }

    @Override
    public void close() {
        producer.close();
    }
}
