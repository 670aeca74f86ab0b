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
import io.counterflow.schemas.topics.Topic;
import java.util.Set;
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
        WatermarkStrategy<Ingested<LoopEvent>> control = config.watermarks().control();
        return new FeedbackStreams(
                stream(Topic.IMPRESSIONS, live(feedback(FeedbackDecoder::ofImpressions)), feedback),
                stream(Topic.REWARDS, live(feedback(FeedbackDecoder::ofRewards)), feedback),
                stream(Topic.LOOPS, live(loopEvents(LoopEventDecoder::ofSpecs)), control),
                stream(
                        Topic.ROLLOUT_COMMANDS,
                        live(loopEvents(LoopEventDecoder::ofCommands)),
                        control));
    }

    /**
     * The sources of a batch run, bounded by the current end of the topics.
     *
     * @param late specs and commands that came too late in the live job and were not applied
     */
    LogStreams log(Set<RecordPlace> late) {
        WatermarkStrategy<Ingested<LoopEvent>> atTheEnd =
                WatermarkStrategy.<Ingested<LoopEvent>>noWatermarks()
                        .withTimestampAssigner((ingested, kafka) -> ingested.timestampMs());
        NotLate<LoopEvent> notLate = new NotLate<>(late);
        return new LogStreams(
                stream(Topic.EXAMPLES, bounded(examples()), atTheEnd),
                filtered(
                        stream(
                                Topic.LOOPS,
                                bounded(loopEvents(LoopEventDecoder::ofSpecs)),
                                atTheEnd),
                        Topic.LOOPS,
                        notLate),
                filtered(
                        stream(
                                Topic.ROLLOUT_COMMANDS,
                                bounded(loopEvents(LoopEventDecoder::ofCommands)),
                                atTheEnd),
                        Topic.ROLLOUT_COMMANDS,
                        notLate));
    }

    private IngestSchema<FeedbackEvent> feedback(RecordDecoder.Factory<FeedbackEvent> decoders) {
        return new IngestSchema<>(decoders, config.ingest(), FEEDBACK_TYPE);
    }

    private IngestSchema<LoopEvent> loopEvents(RecordDecoder.Factory<LoopEvent> decoders) {
        return new IngestSchema<>(decoders, config.ingest(), LOOP_EVENT_TYPE);
    }

    /** Examples may be larger than other records, because the join adds to impressions. */
    private IngestSchema<LoopEvent> examples() {
        IngestLimits limits = config.ingest().withMaxRecordBytes(config.join().maxExampleBytes());
        return new IngestSchema<>(LoopEventDecoder::ofExamples, limits, LOOP_EVENT_TYPE);
    }

    private <E extends IngestedEvent> KafkaSourceBuilder<Ingested<E>> live(IngestSchema<E> schema) {
        return KafkaSource.<Ingested<E>>builder()
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setDeserializer(schema);
    }

    private <E extends IngestedEvent> KafkaSourceBuilder<Ingested<E>> bounded(
            IngestSchema<E> schema) {
        return live(schema).setBounded(OffsetsInitializer.latest());
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

    private static DataStream<Ingested<LoopEvent>> filtered(
            DataStream<Ingested<LoopEvent>> records, Topic topic, NotLate<LoopEvent> notLate) {
        return records.filter(notLate)
                .uid(NotLate.UID + "-" + topic.suffix())
                .name("Skip late " + topic.suffix());
    }
}
