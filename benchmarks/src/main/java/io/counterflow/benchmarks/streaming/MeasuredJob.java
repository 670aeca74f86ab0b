package io.counterflow.benchmarks.streaming;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackKind;
import io.counterflow.flink.ingest.IngestFunction;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.job.CounterflowJob;
import io.counterflow.flink.job.FeedbackStreams;
import io.counterflow.flink.job.FlinkSettings;
import io.counterflow.flink.job.JobSinks;
import io.counterflow.flink.job.KafkaStreams;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.OutgoingRecordSink;
import io.counterflow.schemas.topics.Topic;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** The jobs that are compared. All have the same sources, with decoding, and the same sink. */
enum MeasuredJob {
    /** Reads and decodes records, partitions them by loop and drops them. */
    NO_OP {
        @Override
        void build(FeedbackStreams in, JobConfig config, JobSinks sinks) {
            forward(in, null, sinks.results());
        }
    },

    /** Like {@link #NO_OP}, but writes each record to the journal. */
    COPY {
        @Override
        void build(FeedbackStreams in, JobConfig config, JobSinks sinks) {
            forward(in, config.topics().name(Topic.JOURNAL), sinks.results());
        }
    },

    /** The job itself. */
    LEARN {
        @Override
        void build(FeedbackStreams in, JobConfig config, JobSinks sinks) {
            CounterflowJob.live(in, config, sinks);
            Tap.done(learned(in.impressions().getExecutionEnvironment()), "tap-learned");
        }
    };

    /**
     * Builds the job.
     *
     * @param env the environment, which this method configures
     */
    final void build(StreamExecutionEnvironment env, JobConfig config) {
        env.configure(FlinkSettings.of(config, RunMode.LIVE));
        FeedbackStreams in = new KafkaStreams(env, config).feedback();
        Tap.read(in.impressions(), "tap-read");
        build(in, config, JobSinks.of(config, RunMode.LIVE));
    }

    abstract void build(FeedbackStreams in, JobConfig config, JobSinks sinks);

    /** Number of records that the stopwatch counts as processed. */
    final long tellers(Backlog backlog) {
        return this == LEARN ? backlog.impressions() : backlog.impressions() + backlog.rewards();
    }

    private static void forward(
            FeedbackStreams in, @Nullable String copiedTo, Sink<OutgoingRecord> sink) {
        letIn(in.impressions(), "impressions")
                .union(letIn(in.rewards(), "rewards"))
                .keyBy(FeedbackEvent::loop, Types.STRING)
                .process(new NoOp(copiedTo))
                .returns(OutgoingRecord.class)
                .uid("no-op")
                .name("Do nothing")
                .sinkTo(sink)
                .uid(OutgoingRecordSink.UID)
                .name("Write to Kafka");
    }

    private static DataStream<FeedbackEvent> letIn(
            DataStream<Ingested<FeedbackEvent>> records, String topic) {
        return records.process(new IngestFunction<FeedbackEvent>(List.of(FeedbackKind.values())))
                .returns(FeedbackEvent.class)
                .uid(IngestFunction.UID + "-" + topic)
                .name("Let in " + topic);
    }

    private static DataStream<?> learned(StreamExecutionEnvironment env) {
        Transformation<?> loop =
                env.getTransformations().stream()
                        .filter(it -> LoopOperator.UID.equals(it.getUid()))
                        .findFirst()
                        .orElseThrow();
        return new DataStream<>(env, loop);
    }
}
