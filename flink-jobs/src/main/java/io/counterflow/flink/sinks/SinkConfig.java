package io.counterflow.flink.sinks;

import io.counterflow.core.text.PlainName;
import io.counterflow.schemas.topics.Topics;
import java.io.Serializable;
import java.time.Duration;

/**
 * How results are written.
 *
 * @param deployment name of the job: the same after restarts, different for jobs that write to the
 *     same topics
 * @param transactionTimeout Kafka aborts a transaction that is open for longer. Must outlast the
 *     longest outage of the job
 * @param maxInlineSnapshotBytes maximum size of a snapshot that is written as a record; larger ones
 *     are written to a file, and a record points to it
 * @param snapshotDirectory directory of these files
 */
public record SinkConfig(
        String deployment,
        Duration transactionTimeout,
        int maxRecordBytes,
        int maxInlineSnapshotBytes,
        String snapshotDirectory)
        implements Serializable {

    private static final int MAX_NAME = 100;

    /** Large enough for any dead letter. */
    private static final int MIN_RECORD_BYTES = 150_000;

    public SinkConfig {
        PlainName.require(deployment, "job.name", MAX_NAME);
        if (maxRecordBytes < MIN_RECORD_BYTES) {
            throw new IllegalArgumentException(
                    "sink.max-record-size must be at least %db, got %db"
                            .formatted(MIN_RECORD_BYTES, maxRecordBytes));
        }
        if (maxInlineSnapshotBytes > maxRecordBytes) {
            throw new IllegalArgumentException(
                    "sink.max-inline-snapshot must be at most sink.max-record-size, %db, got %db"
                            .formatted(maxRecordBytes, maxInlineSnapshotBytes));
        }
    }

    /**
     * Prefix of the transactional ids of a deployment. It is the same for all runs, so that a new
     * run aborts the transactions that an old one left open. It ends with a character that names
     * cannot contain, because the sink compares prefixes: job "a" must not abort transactions of
     * job "ab".
     */
    public String transactionalIdPrefix(Topics topics) {
        return topics.prefix() + "/" + deployment + "/";
    }
}
