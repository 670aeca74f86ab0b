package io.counterflow.flink.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.junit.jupiter.api.Test;

final class ForgottenTransactionsTest {

    /** A request of Flink that keeps what it is told. */
    private static final class Told implements Committer.CommitRequest<KafkaCommittable> {

        private final List<String> calls = new ArrayList<>();

        @Override
        public KafkaCommittable getCommittable() {
            return new KafkaCommittable(1, (short) 1, "job/results/-0-1", null);
        }

        @Override
        public int getNumberOfRetries() {
            return 0;
        }

        @Override
        public void signalFailedWithKnownReason(Throwable failure) {
            calls.add("known");
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable failure) {
            calls.add("unknown");
        }

        @Override
        public void retryLater() {
            calls.add("retry");
        }

        @Override
        public void updateAndRetryLater(KafkaCommittable committable) {
            calls.add("update");
        }

        @Override
        public void signalAlreadyCommitted() {
            calls.add("committed");
        }
    }

    /** Kafka's committer, for which each request fails. */
    @SuppressWarnings("try")
    private record Failing(KafkaException failure) implements Committer<KafkaCommittable> {

        @Override
        public void commit(Collection<CommitRequest<KafkaCommittable>> requests) {
            requests.forEach(it -> it.signalFailedWithUnknownReason(failure));
        }

        @Override
        public void close() {}
    }

    private static List<String> calls(KafkaException failure) throws Exception {
        Told told = new Told();
        new ForgottenTransactions(new Failing(failure)).commit(List.of(told));
        return told.calls;
    }

    @Test
    void aTransactionThatKafkaHasForgottenDoesNotRestartTheJob() throws Exception {
        assertThat(calls(new InvalidPidMappingException("unknown id"))).containsExactly("known");
    }

    @Test
    void anyOtherFailureRestartsTheJob() throws Exception {
        assertThat(calls(new InvalidProducerEpochException("old"))).containsExactly("unknown");
    }
}
