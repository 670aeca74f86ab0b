package io.counterflow.flink.sinks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's committer, which also accepts transactions that Kafka does not know any more.
 *
 * <p>A savepoint contains the transactions that were committed right after it, and a job that
 * starts from it commits them again. Kafka answers that it has done so, until it forgets the id of
 * the transaction: after {@code transactional.id.expiration.ms}, 7 days by default, or when its
 * topics are restored from a backup. Kafka's committer takes this for an unknown failure, and the
 * job would restart for ever. Kafka never forgets an open transaction, so this one was committed or
 * aborted, and {@link CheckpointGuard} finds out which.
 */
@SuppressWarnings("try") // close() may be interrupted, like that of Kafka's committer
final class ForgottenTransactions implements Committer<KafkaCommittable> {

    private static final Logger LOG = LoggerFactory.getLogger(ForgottenTransactions.class);

    private final Committer<KafkaCommittable> committer;

    ForgottenTransactions(Committer<KafkaCommittable> committer) {
        this.committer = committer;
    }

    @Override
    public void commit(Collection<CommitRequest<KafkaCommittable>> requests)
            throws IOException, InterruptedException {
        List<CommitRequest<KafkaCommittable>> tolerant = new ArrayList<>(requests.size());
        for (CommitRequest<KafkaCommittable> request : requests) {
            tolerant.add(new Tolerant(request));
        }
        committer.commit(tolerant);
    }

    @Override
    public void close() throws Exception {
        committer.close();
    }

    private record Tolerant(CommitRequest<KafkaCommittable> request)
            implements CommitRequest<KafkaCommittable> {

        @Override
        public KafkaCommittable getCommittable() {
            return request.getCommittable();
        }

        @Override
        public int getNumberOfRetries() {
            return request.getNumberOfRetries();
        }

        @Override
        public void signalFailedWithKnownReason(Throwable failure) {
            request.signalFailedWithKnownReason(failure);
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable failure) {
            if (failure instanceof InvalidPidMappingException) {
                LOG.warn(
                        "Kafka does not know the transaction {} any more, so it was committed or"
                                + " aborted before: {}",
                        request.getCommittable(),
                        failure.getMessage());
                request.signalFailedWithKnownReason(failure);
            } else {
                request.signalFailedWithUnknownReason(failure);
            }
        }

        @Override
        public void retryLater() {
            request.retryLater();
        }

        @Override
        public void updateAndRetryLater(KafkaCommittable committable) {
            request.updateAndRetryLater(committable);
        }

        @Override
        public void signalAlreadyCommitted() {
            request.signalAlreadyCommitted();
        }
    }
}
