package io.counterflow.flink.job;

import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.Publication;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.sinks.SnapshotPublication;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Collects all output of the job in one stream, so that one transaction contains it. */
final class Outputs {

    private final Topics topics;
    private final SinkConfig config;
    private final List<DataStream<OutgoingRecord>> streams = new ArrayList<>();

    Outputs(Topics topics, SinkConfig config) {
        this.topics = topics;
        this.config = config;
    }

    void add(String what, SingleOutputStreamOperator<OutgoingRecord> records) {
        streams.add(
                records.returns(OutgoingRecord.class)
                        .uid("publish-" + what)
                        .name("Publish " + what));
    }

    void snapshots(DataStream<PolicySnapshotRecord> snapshots) {
        add(
                "snapshots",
                snapshots.flatMap(
                        new SnapshotPublication(topics.name(Topic.POLICY_SNAPSHOTS), config)));
    }

    void rollouts(DataStream<RolloutRecord> rollouts) {
        add("rollouts", rollouts.map(Publication.ofRollouts(topics.name(Topic.ROLLOUTS))));
    }

    void windows(DataStream<IpsWindowRecord> windows) {
        add("ips-stats", windows.map(Publication.ofWindows(topics.name(Topic.IPS_STATS))));
    }

    void letters(DataStream<DeadLetterRecord> letters, Topic topic, String what) {
        add(what, letters.map(Publication.ofLetters(topics.name(topic))));
    }

    DataStream<OutgoingRecord> all() {
        DataStream<OutgoingRecord> all = streams.get(0);
        for (DataStream<OutgoingRecord> stream : streams.subList(1, streams.size())) {
            all = all.union(stream);
        }
        return all;
    }
}
