package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.OutgoingRecordSink;
import io.counterflow.schemas.topics.Topic;
import java.util.EnumSet;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;

/**
 * Where the job writes. Results of loops have a sink of their own, which runs in the task of the
 * loops, so that their records do not cross the network.
 *
 * @param results the journal and everything that comes of it
 * @param letters records that were refused before they reached a loop, and their counts
 */
public record JobSinks(Sink<OutgoingRecord> results, Sink<OutgoingRecord> letters) {

    /** The sinks of a run, in Kafka. */
    public static JobSinks of(JobConfig config, RunMode mode) {
        return new JobSinks(
                OutgoingRecordSink.of(
                        "results",
                        config.sink(),
                        config.kafka(),
                        mode.writtenNames(config),
                        mode.written()),
                OutgoingRecordSink.of(
                        "letters",
                        config.sink(),
                        config.kafka(),
                        mode.writtenNames(config),
                        letters(mode)));
    }

    private static Set<Topic> letters(RunMode mode) {
        Set<Topic> letters = EnumSet.of(Topic.LATE, Topic.DEAD_LETTERS, Topic.LOOP_COUNTS);
        letters.retainAll(mode.written());
        return letters;
    }
}
