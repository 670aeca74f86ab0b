package io.counterflow.benchmarks.streaming;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.FlinkSettings;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.OutgoingRecordSink;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.Topics;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The jobs that are compared. All have the same settings of Flink and Kafka. */
enum MeasuredJob {
    /** Reads impressions and rewards and drops them. */
    NO_OP {
        @Override
        void build(StreamExecutionEnvironment env, JobConfig config) {
            env.configure(FlinkSettings.of(config, RunMode.LIVE));
            for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
                read(env, config, topic)
                        .process(new Forward(false))
                        .returns(OutgoingRecord.class)
                        .uid("drop-" + topic.suffix());
            }
        }
    },

    /** Reads impressions and writes them to one topic, exactly once. */
    COPY {
        @Override
        void build(StreamExecutionEnvironment env, JobConfig config) {
            env.configure(FlinkSettings.of(config, RunMode.LIVE));
            Topics copies = new Topics(config.topics().prefix() + ".copy");
            Set<Topic> written = Set.of(Topic.JOURNAL, Topic.DEAD_LETTERS);
            try (TopicAdmin admin =
                    TopicAdmin.connect(config.kafka(), copies, config.topicSettings())) {
                var unused = admin.ensure(written, true);
            }
            SingleOutputStreamOperator<OutgoingRecord> copied =
                    read(env, config, Topic.IMPRESSIONS)
                            .process(new Forward(true))
                            .returns(OutgoingRecord.class)
                            .uid("copy");
            copied.sinkTo(
                            OutgoingRecordSink.of(
                                    "copy", config.sink(), config.kafka(), copies, written))
                    .uid("write-copies");
        }
    },

    /** The job itself. */
    LEARN {
        @Override
        void build(StreamExecutionEnvironment env, JobConfig config) {
            new JobSetup(config, RunMode.LIVE).build(env);
        }
    };

    /** Configures an environment and builds the job in it. */
    abstract void build(StreamExecutionEnvironment env, JobConfig config);

    final String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static DataStream<OutgoingRecord> read(
            StreamExecutionEnvironment env, JobConfig config, Topic topic) {
        return env.fromSource(
                        KafkaSource.<OutgoingRecord>builder()
                                .setProperties(config.kafka().properties())
                                .setBootstrapServers(config.kafka().bootstrapServers())
                                .setProperty("isolation.level", "read_committed")
                                .setTopics(config.topics().name(topic))
                                .setGroupId(config.name())
                                .setStartingOffsets(OffsetsInitializer.earliest())
                                .setDeserializer(
                                        new RawBytes(
                                                config.topics().prefix()
                                                        + ".copy."
                                                        + Topic.JOURNAL.suffix(),
                                                topic == Topic.IMPRESSIONS))
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "Read " + topic.suffix())
                .uid("read-" + topic.suffix());
    }

    /** Leaves records as they are. Heartbeats, which have no key, are skipped. */
    private static final class RawBytes
            implements KafkaRecordDeserializationSchema<OutgoingRecord> {

        private static final long serialVersionUID = 1L;

        private final String copiedTo;
        private final boolean counted;

        RawBytes(String copiedTo, boolean counted) {
            this.copiedTo = copiedTo;
            this.counted = counted;
        }

        @Override
        public void deserialize(
                ConsumerRecord<byte[], byte[]> record, Collector<OutgoingRecord> out) {
            if (record.key() != null && counted) {
                out.collect(new OutgoingRecord(copiedTo, record.key(), record.value()));
            }
        }

        @Override
        public TypeInformation<OutgoingRecord> getProducedType() {
            return TypeInformation.of(OutgoingRecord.class);
        }
    }

    /** Counts records, and forwards all of them or none. */
    private static final class Forward extends ProcessFunction<OutgoingRecord, OutgoingRecord> {

        private static final long serialVersionUID = 1L;

        private final boolean forwards;
        private transient Counter counter;

        @SuppressWarnings("NullAway.Init") // Flink calls open() first
        Forward(boolean forwards) {
            this.forwards = forwards;
        }

        @Override
        public void open(OpenContext context) {
            counter = getRuntimeContext().getMetricGroup().counter(JobCounters.LEARNED);
        }

        @Override
        public void processElement(
                OutgoingRecord record, Context context, Collector<OutgoingRecord> out) {
            counter.inc();
            if (forwards) {
                out.collect(record);
            }
        }
    }
}
