package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackKind;
import io.counterflow.flink.ingest.IngestFunction;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.join.Buckets;
import io.counterflow.flink.join.RewardJoin;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.sinks.CommittedCheckpoints;
import io.counterflow.flink.sinks.LetterPublication;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.OutgoingRecordSink;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * The job graph. Sources and sinks are passed in, so tests can use their own.
 *
 * <pre>{@code
 * impressions ─┐
 * rewards ─────┴▶ RewardJoin ─┬▶ LoopOperator ─▶ results
 * loops, commands ────────────┘
 * }</pre>
 *
 * A replay reads the journal alone:
 *
 * <pre>{@code
 * journal ─▶ LoopOperator ─▶ results
 * }</pre>
 */
public final class CounterflowJob {

    private final JobConfig config;
    private final Topics written;
    private final JobSinks sinks;
    private final RunMode mode;
    private final List<DataStream<OutgoingRecord>> letters = new ArrayList<>();

    private CounterflowJob(JobConfig config, RunMode mode, JobSinks sinks) {
        this.config = config;
        this.written = mode.writtenNames(config);
        this.sinks = sinks;
        this.mode = mode;
    }

    /** The live job: learns from impressions and rewards. */
    public static void live(FeedbackStreams in, JobConfig config, JobSinks sinks) {
        CounterflowJob job = new CounterflowJob(config, RunMode.LIVE, sinks);
        job.learn(
                job.join(in)
                        .union(
                                job.loopEvents(in.loops(), "loops"),
                                job.loopEvents(in.commands(), "rollout-commands")),
                LoopOperator.Source.LIVE);
        job.writeLetters();
    }

    /** A replay: learns from the journal and writes to its own topics. */
    static void replay(DataStream<Ingested<LoopEvent>> journal, JobConfig config, JobSinks sinks) {
        CounterflowJob job = new CounterflowJob(config, RunMode.BATCH, sinks);
        job.learn(job.loopEvents(journal, "journal"), LoopOperator.Source.JOURNAL);
        job.writeLetters();
    }

    private SingleOutputStreamOperator<LoopEvent> join(FeedbackStreams in) {
        Buckets buckets = new Buckets(config.run().maxParallelism());
        SingleOutputStreamOperator<LoopEvent> examples =
                feedback(in.impressions(), "impressions")
                        .union(feedback(in.rewards(), "rewards"))
                        .keyBy(buckets, Types.INT)
                        .transform(
                                "Join rewards",
                                TypeInformation.of(LoopEvent.class),
                                new RewardJoin(config.join(), buckets, written))
                        .uid(RewardJoin.UID);
        letters(examples.getSideOutput(RewardJoin.LATE), Topic.LATE, false, "join");
        letters.add(examples.getSideOutput(RewardJoin.COUNTS));
        return examples;
    }

    private void learn(DataStream<LoopEvent> events, LoopOperator.Source source) {
        SingleOutputStreamOperator<OutgoingRecord> results =
                events.keyBy(LoopEvent::loop, Types.STRING)
                        .transform(
                                "Learn and roll out",
                                TypeInformation.of(OutgoingRecord.class),
                                new LoopOperator(
                                        config.loop(),
                                        config.windows(),
                                        config.sink(),
                                        written,
                                        new CommittedCheckpoints(
                                                config.kafka(),
                                                written.name(Topic.CHECKPOINTS),
                                                config.name()),
                                        source))
                        .uid(LoopOperator.UID);
        write(results, sinks.results(), "results");
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
        letters(
                events.getSideOutput(IngestFunction.DEAD_LETTERS),
                Topic.DEAD_LETTERS,
                mode == RunMode.LIVE,
                topic);
        return events;
    }

    private void letters(
            DataStream<DeadLetterRecord> records, Topic topic, boolean counts, String from) {
        String what = topic.suffix() + "-of-" + from;
        letters.add(
                records.transform(
                                "Publish " + what,
                                TypeInformation.of(OutgoingRecord.class),
                                new LetterPublication(written, topic, counts))
                        .uid(LetterPublication.UID + "-" + what));
    }

    private void writeLetters() {
        DataStream<OutgoingRecord> all = letters.get(0);
        for (DataStream<OutgoingRecord> stream : letters.subList(1, letters.size())) {
            all = all.union(stream);
        }
        write(all, sinks.letters(), "letters");
    }

    private static void write(
            DataStream<OutgoingRecord> records, Sink<OutgoingRecord> sink, String what) {
        records.sinkTo(sink).uid(OutgoingRecordSink.UID + "-" + what).name("Write " + what);
    }
}
