package io.counterflow.flink.ingest;

import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.raw;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.MeteredEnvironment;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import java.util.List;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

final class IngestFunctionTest {

    @Test
    @SuppressWarnings("try") // closing the harness may throw anything, and the test says so
    void aBadRecordCostsOneRecordAndIsCountedByItsRule() throws Exception {
        RecordDecoder<FeedbackEvent> decoder =
                FeedbackDecoder.ofImpressions(IngestLimits.defaults());
        List<RawRecord> records =
                List.of(
                        raw(ImpressionRecord.class, impression("e-1", 0)),
                        raw(new byte[] {1, 2, 3}),
                        raw(HeartbeatRecord.class, new HeartbeatRecord("s", Feedback.START)),
                        raw(ImpressionRecord.class, impression("e-2", 1)));
        MetricListener metrics = new MetricListener();
        try (var harness =
                new OneInputStreamOperatorTestHarness<Ingested<FeedbackEvent>, FeedbackEvent>(
                        new ProcessOperator<>(new IngestFunction<>(List.of(FeedbackKind.values()))),
                        MeteredEnvironment.with(metrics))) {
            harness.open();
            for (RawRecord record : records) {
                Ingested<FeedbackEvent> ingested = decoder.decode(record);
                harness.processElement(ingested, ingested.timestampMs());
            }

            assertThat(harness.extractOutputValues())
                    .extracting(FeedbackEvent::eventId)
                    .containsExactly("e-1", "e-2");
            assertThat(harness.getSideOutput(IngestFunction.DEAD_LETTERS))
                    .extracting(letter -> letter.getValue().getRule())
                    .containsExactly("NOT_A_RECORD");
        }
        assertThat(count(metrics, "kind", "IMPRESSION", "events")).isEqualTo(2);
        assertThat(count(metrics, "rule", "NOT_A_RECORD", "dead_letters")).isEqualTo(1);
        assertThat(count(metrics, "rule", "TIME", "dead_letters")).isZero();
    }

    private static long count(MetricListener metrics, String... name) {
        return metrics.getCounter(name).orElseThrow().getCount();
    }
}
