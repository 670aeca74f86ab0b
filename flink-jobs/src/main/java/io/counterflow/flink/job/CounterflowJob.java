package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackKind;
import io.counterflow.flink.ingest.IngestFunction;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.join.RewardJoin;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.OutgoingRecordSink;
import io.counterflow.flink.sinks.Publication;
import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.flink.windows.IpsWindows;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * The job graph. Sources and sink are passed in, so tests can use their own.
 *
 * <pre>{@code
 * impressions ─┐
 * rewards ─────┴▶ RewardJoin ─┬▶ LoopOperator ─▶ IpsWindows
 * loops, commands ────────────┘
 * }</pre>
 *
 * All operators write to one sink.
 */
public final class CounterflowJob {

    private final JobConfig config;
    private final Outputs outputs;

    private CounterflowJob(JobConfig config, Topics written) {
        this.config = config;
        this.outputs = new Outputs(written, config.sink());
    }

    /** The live job: learns from impressions and rewards. */
    public static void live(FeedbackStreams in, JobConfig config, Sink<OutgoingRecord> sink) {
        CounterflowJob job = new CounterflowJob(config, config.topics());
        SingleOutputStreamOperator<ScoredExample> judged =
                job.learn(
                        job.join(in)
                                .union(
                                        job.loopEvents(in.loops(), "loops"),
                                        job.loopEvents(in.commands(), "rollout-commands")));
        // From the loop operator and not from the join: an example that came too late for its loop
        // must not be in the log of batch runs.
        job.outputs.add(
                "examples",
                judged.getSideOutput(LoopOperator.EXAMPLES)
                        .map(Publication.ofExamples(config.topics().name(Topic.EXAMPLES))));
        job.write(sink);
    }

    /** A batch run: learns from a log and writes to its own topics. */
    static void batch(LogStreams in, JobConfig config, Sink<OutgoingRecord> sink) {
        CounterflowJob job = new CounterflowJob(config, config.batchTopics());
        job.learn(
                job.loopEvents(in.examples(), "examples")
                        .union(
                                job.loopEvents(in.loops(), "loops"),
                                job.loopEvents(in.commands(), "rollout-commands")));
        job.write(sink);
    }

    private SingleOutputStreamOperator<LoopEvent> join(FeedbackStreams in) {
        SingleOutputStreamOperator<LoopEvent> examples =
                feedback(in.impressions(), "impressions")
                        .union(feedback(in.rewards(), "rewards"))
                        .keyBy(FeedbackEvent::key, Types.STRING)
                        .process(new RewardJoin(config.join()))
                        .uid(RewardJoin.UID)
                        .name("Join rewards");
        late(examples.getSideOutput(RewardJoin.LATE), "join");
        return examples;
    }

    private SingleOutputStreamOperator<ScoredExample> learn(DataStream<LoopEvent> events) {
        SingleOutputStreamOperator<ScoredExample> judged =
                events.keyBy(LoopEvent::loop, Types.STRING)
                        .transform(
                                "Learn and roll out",
                                TypeInformation.of(ScoredExample.class),
                                new LoopOperator(config.loop()))
                        .uid(LoopOperator.UID);
        outputs.snapshots(judged.getSideOutput(LoopOperator.SNAPSHOTS));
        outputs.rollouts(judged.getSideOutput(LoopOperator.ROLLOUTS));
        deadLetters(judged.getSideOutput(LoopOperator.DEAD_LETTERS), "loop");
        late(judged.getSideOutput(LoopOperator.LATE), "loop");
        outputs.windows(windows(judged));
        return judged;
    }

    /** Scored examples stay on the subtask of their loop, so they need no new partitioning. */
    private DataStream<IpsWindowRecord> windows(DataStream<ScoredExample> judged) {
        return DataStreamUtils.reinterpretAsKeyedStream(judged, ScoredExample::loop, Types.STRING)
                .transform(
                        "Estimate over windows",
                        new WireTypeInfo<>(IpsWindowRecord.class),
                        new IpsWindows(config.windows()))
                .uid(IpsWindows.UID);
    }

    private DataStream<FeedbackEvent> feedback(
            DataStream<Ingested<FeedbackEvent>> records, String topic) {
        return ingest(records, topic, List.of(FeedbackKind.values()), FeedbackEvent.class);
    }

    private DataStream<LoopEvent> loopEvents(
            DataStream<Ingested<LoopEvent>> records, String topic) {
        return ingest(records, topic, List.of(LoopEventKind.values()), LoopEvent.class);
    }

    private <E extends IngestedEvent> DataStream<E> ingest(
            DataStream<Ingested<E>> records,
            String topic,
            List<? extends Enum<?>> kinds,
            Class<E> type) {
        SingleOutputStreamOperator<E> events =
                records.process(new IngestFunction<E>(kinds))
                        .returns(type)
                        .uid(IngestFunction.UID + "-" + topic)
                        .name("Ingest " + topic);
        deadLetters(events.getSideOutput(IngestFunction.DEAD_LETTERS), topic);
        return events;
    }

    private void deadLetters(DataStream<DeadLetterRecord> letters, String from) {
        outputs.letters(letters, Topic.DEAD_LETTERS, "dead-letters-of-" + from);
    }

    private void late(DataStream<DeadLetterRecord> letters, String from) {
        outputs.letters(letters, Topic.LATE, "late-of-" + from);
    }

    private void write(Sink<OutgoingRecord> sink) {
        outputs.all().sinkTo(sink).uid(OutgoingRecordSink.UID).name("Write to Kafka");
    }
}
