package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.util.EnumSet;
import java.util.Set;

/** Whether the job learns from what happens, or once more from a log. */
public enum RunMode {
    /** From impressions and rewards, for ever. */
    LIVE,
    /** From examples, to their end. */
    BATCH;

    /** The topics that are read. */
    public Set<Topic> read() {
        return this == LIVE
                ? EnumSet.of(Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS)
                : EnumSet.of(Topic.EXAMPLES, Topic.LOOPS, Topic.ROLLOUT_COMMANDS, Topic.LATE);
    }

    /** The topics that are written. */
    public Set<Topic> written() {
        Set<Topic> written =
                EnumSet.of(
                        Topic.POLICY_SNAPSHOTS,
                        Topic.ROLLOUTS,
                        Topic.IPS_STATS,
                        Topic.LATE,
                        Topic.DEAD_LETTERS);
        if (this == LIVE) {
            written.add(Topic.EXAMPLES);
        }
        return written;
    }

    /** The names under which they are written. */
    public Topics writtenNames(JobConfig config) {
        return this == LIVE ? config.topics() : config.batchTopics();
    }
}
