package io.counterflow.benchmarks.streaming;

import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.PriorityQueue;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The records on the topics when a job starts: decisions of four loops, one per millisecond,
 * rewards for three of ten, and heartbeats after the last window.
 *
 * @param impressions number of decisions
 * @param rewards number of rewards
 */
record Backlog(long impressions, long rewards) {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<String> LOOPS = List.of("loop-0", "loop-1", "loop-2", "loop-3");

    /** The attribution window. Ten thousand impressions wait for their rewards at any time. */
    private static final Duration WINDOW = Duration.ofSeconds(10);

    private static final double REWARDED = 0.3;

    /**
     * Writes a backlog.
     *
     * @param prejoined whether impressions contain their rewards
     */
    static Backlog write(JobConfig config, TrafficShape shape, boolean prejoined, int impressions) {
        try (Writer writer = new Writer(config)) {
            for (String loop : LOOPS) {
                writer.spec(shape.spec(loop, START));
            }
            for (int i = 0; i < impressions; i++) {
                writer.decide(shape, i, prejoined);
            }
            writer.rewardsUntil(Instant.MAX);
            writer.heartbeat(START.plusMillis(impressions).plus(WINDOW.multipliedBy(3)));
            return new Backlog(impressions, writer.rewards);
        }
    }

    private static final class Writer implements AutoCloseable {

        private final JobConfig config;
        private final KafkaProducer<byte[], byte[]> producer;
        private final ImpressionConversion conversion =
                new ImpressionConversion(JsonLimits.defaults());
        private final WireCodec<ImpressionRecord> impressionCodec =
                WireCodec.of(ImpressionRecord.class);
        private final WireCodec<RewardRecord> rewardCodec = WireCodec.of(RewardRecord.class);
        private final EventRandom random = new EventRandom(1);
        private final PriorityQueue<RewardRecord> waiting = // because topics are in time order
                new PriorityQueue<>(
                        Comparator.comparing(RewardRecord::getTime)
                                .thenComparing(RewardRecord::getEventId));
        private long rewards;

        Writer(JobConfig config) {
            this.config = config;
            this.producer =
                    new KafkaProducer<>(
                            config.kafka().properties(),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
        }

        void spec(LoopSpec spec) {
            LoopSpecRecord record = LoopSpecConversion.toRecord(spec);
            send(Topic.LOOPS, spec.loop(), WireCodec.of(LoopSpecRecord.class).encode(record));
        }

        void decide(TrafficShape shape, int number, boolean prejoined) {
            Instant time = START.plusMillis(1L + number);
            String loop = LOOPS.get(number % LOOPS.size());
            boolean rewarded = random.nextDouble() < REWARDED;
            Impression impression =
                    shape.impression(
                            number,
                            loop,
                            time,
                            new RewardRule(WINDOW, 0.0, RewardAggregation.FIRST, false),
                            prejoined
                                    ? OptionalDouble.of(rewarded ? 1.0 : 0.0)
                                    : OptionalDouble.empty());
            rewardsUntil(time);
            send(
                    Topic.IMPRESSIONS,
                    impression.eventId(),
                    impressionCodec.encode(conversion.toRecord(impression)));
            if (rewarded && !prejoined) {
                Instant at = time.plusMillis(random.nextInt((int) WINDOW.toMillis()));
                waiting.add(
                        new RewardRecord(
                                "r",
                                impression.eventId(),
                                loop,
                                at,
                                1.0,
                                RewardMetricRecord.REWARD));
            }
        }

        void rewardsUntil(Instant time) {
            for (RewardRecord next = waiting.peek();
                    next != null && !next.getTime().isAfter(time);
                    next = waiting.peek()) {
                send(Topic.REWARDS, next.getEventId(), rewardCodec.encode(next));
                waiting.remove();
                rewards++;
            }
        }

        /** Advances event time on all partitions. */
        void heartbeat(Instant time) {
            byte[] value =
                    WireCodec.of(HeartbeatRecord.class)
                            .encode(new HeartbeatRecord("benchmark", time));
            for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
                String name = config.topics().name(topic);
                for (int p = 0; p < producer.partitionsFor(name).size(); p++) {
                    var unused = producer.send(new ProducerRecord<>(name, p, null, value));
                }
            }
        }

        private void send(Topic topic, String key, byte[] value) {
            var unused = // missing records fail the run
                    producer.send(
                            new ProducerRecord<>(
                                    config.topics().name(topic),
                                    key.getBytes(StandardCharsets.UTF_8),
                                    value));
        }

        @Override
        public void close() {
            producer.close();
        }
    }
}
