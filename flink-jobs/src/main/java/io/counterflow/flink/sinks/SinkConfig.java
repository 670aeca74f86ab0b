package io.counterflow.flink.sinks;

import io.counterflow.core.text.PlainName;
import io.counterflow.core.text.DurationText;
import io.counterflow.schemas.config.Compression;
import io.counterflow.schemas.topics.Topics;
import java.io.Serializable;
import java.time.Duration;

/**
 * How results are written.
 *
 * @param deployment name of the job, the same over restarts, different for jobs that write to the
 *     same topics
 * @param transactionTimeout after how long Kafka gives up a transaction. Longer than a checkpoint
 *     may take, shorter than readers may be held up by a job that never comes back
 * @param compression how records are packed
 * @param maxRecordBytes largest record that is written
 * @param maxInlineSnapshotBytes largest snapshot that is written as a record; larger ones become a
 *     file and a record that points to it
 * @param snapshotDirectory where such files lie
 */
public record SinkConfig(
        String deployment,
        Duration transactionTimeout,
        Compression compression,
        int maxRecordBytes,
        int maxInlineSnapshotBytes,
        String snapshotDirectory)
        implements Serializable {

    /** What brokers allow unless told otherwise ({@code transaction.max.timeout.ms}). */
    private static final Duration BROKER_MAXIMUM = Duration.ofMinutes(15);

    private static final int MAX_NAME = 100;

    /** A dead letter with all that it may keep must fit. */
    private static final int MIN_RECORD_BYTES = 150_000;

    public SinkConfig {
        PlainName.require(deployment, "job.name", MAX_NAME);
        if (transactionTimeout.compareTo(BROKER_MAXIMUM) >= 0) {
            throw new IllegalArgumentException(
                    "sink.transaction-timeout must be below %s, the default limit of brokers, got %s"
                            .formatted(
                                    DurationText.format(BROKER_MAXIMUM),
                                    DurationText.format(transactionTimeout)));
        }
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
     * What the names of the sink's transactions start with: the same for all runs of a deployment,
     * so that a new run ends what an old one left open. It ends in a character that no name has,
     * because the sink goes by the beginning of names: "a" must not end those of "ab".
     */
    public String transactionalIdPrefix(Topics topics) {
        return topics.prefix() + "/" + deployment + "/";
    }
}
