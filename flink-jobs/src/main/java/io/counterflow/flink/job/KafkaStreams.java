package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventDecoder;
import io.counterflow.flink.ingest.FeedbackDecoder;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.IngestSchema;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.schemas.topics.Topic;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Reads the topics, from the beginning or from the offsets of the checkpoint. */
public final class KafkaStreams {

    /** Prefix of the identities in savepoints; the name of the topic follows. */
    public static final String UID = "source";

    public static final TypeInformation<Ingested<FeedbackEvent>> FEEDBACK_TYPE =
            TypeInformation.of(new TypeHint<>() {});

    public static final TypeInformation<Ingested<LoopEvent>> LOOP_EVENT_TYPE =
            TypeInformation.of(new TypeHint<>() {});

    private final StreamExecutionEnvironment env;
    private final JobConfig config;

    public KafkaStreams(StreamExecutionEnvironment env, JobConfig config) {
        this.env = env;
        this.config = config;
    }

    /** The sources of the live job. */
    public FeedbackStreams feedback() {
        WatermarkStrategy<Ingested<FeedbackEvent>> feedback = config.watermarks().feedback();
        WatermarkStrategy<Ingested<LoopEvent>> control = WatermarkConfig.control();
        return new FeedbackStreams(
                stream(Topic.IMPRESSIONS, live(feedback(FeedbackDecoder::ofImpressions)), feedback),
                stream(Topic.REWARDS, live(feedback(FeedbackDecoder::ofRewards)), feedback),
                stream(Topic.LOOPS, live(loopEvents(LoopEventDecoder::ofSpecs)), control),
                stream(
                        Topic.ROLLOUT_COMMANDS,
                        live(loopEvents(LoopEventDecoder::ofCommands)),
                        control));
    }

    /** The source of a replay, bounded by the current end of the journal. */
    DataStream<Ingested<LoopEvent>> journal() {
        IngestLimits limits = config.ingest().withMaxRecordBytes(config.sink().maxRecordBytes());
        return stream(
                Topic.JOURNAL,
                live(new IngestSchema<>(
                                LoopEventDecoder::ofJournal,
                                limits,
                                config.kafka().values(),
                                LOOP_EVENT_TYPE))
                        .setBounded(OffsetsInitializer.latest()),
                WatermarkStrategy.noWatermarks());
    }

    private IngestSchema<FeedbackEvent> feedback(RecordDecoder.Factory<FeedbackEvent> decoders) {
        return new IngestSchema<>(
                decoders, config.ingest(), config.kafka().values(), FEEDBACK_TYPE);
    }

    private IngestSchema<LoopEvent> loopEvents(RecordDecoder.Factory<LoopEvent> decoders) {
        return new IngestSchema<>(
                decoders, config.ingest(), config.kafka().values(), LOOP_EVENT_TYPE);
    }

    private <E extends IngestedEvent> KafkaSourceBuilder<Ingested<E>> live(IngestSchema<E> schema) {
        return KafkaSource.<Ingested<E>>builder()
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setDeserializer(schema);
    }

    private <E extends IngestedEvent> SingleOutputStreamOperator<Ingested<E>> stream(
            Topic topic,
            KafkaSourceBuilder<Ingested<E>> source,
            WatermarkStrategy<Ingested<E>> watermarks) {
        String id = UID + "-" + topic.suffix();
        return env.fromSource(
                        source.setProperties(config.kafka().properties())
                                .setBootstrapServers(config.kafka().bootstrapServers())
                                .setProperty("isolation.level", "read_committed")
                                .setTopics(config.topics().name(topic))
                                .setGroupId(config.name())
                                .setClientIdPrefix(config.name() + "-" + topic.suffix())
                                .build(),
                        watermarks,
                        "Read " + topic.suffix())
                .uid(id);
    }
}
