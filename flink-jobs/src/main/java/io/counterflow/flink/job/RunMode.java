package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.EnumSet;
import java.util.Set;

/** Whether the job runs live or over a log. */
public enum RunMode {
    /** Learns from impressions and rewards, without an end. */
    LIVE,
    /** Learns again from the journal and ends. */
    BATCH;

    /** The topics that the job reads. */
    public Set<Topic> read() {
        return this == LIVE
                ? EnumSet.of(Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS)
                : EnumSet.of(Topic.JOURNAL);
    }

    /** The topics that the job writes. */
    public Set<Topic> written() {
        Set<Topic> written =
                EnumSet.of(
                        Topic.POLICY_SNAPSHOTS,
                        Topic.ROLLOUTS,
                        Topic.IPS_STATS,
                        Topic.CHECKPOINTS,
                        Topic.LATE,
                        Topic.DEAD_LETTERS);
        if (this == LIVE) {
            written.add(Topic.JOURNAL);
            written.add(Topic.LOOP_COUNTS);
        }
        return written;
    }

    /** The names of the topics that the job writes. */
    public Topics writtenNames(JobConfig config) {
        return this == LIVE ? config.topics() : config.batchTopics();
    }
}
