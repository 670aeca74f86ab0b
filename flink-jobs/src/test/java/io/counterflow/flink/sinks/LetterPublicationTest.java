package io.counterflow.flink.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.WireCodec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

final class LetterPublicationTest {

    private static final Topics TOPICS = new Topics("test");

    private static final List<RawRecord> REFUSED =
            List.of(
                    Feedback.raw(ImpressionRecord.class, Feedback.impression("e", 0)),
                    Feedback.raw(RewardRecord.class, Feedback.reward("r", "e", 1, 1.0)),
                    Feedback.raw(HeartbeatRecord.class, new HeartbeatRecord("s", Feedback.START)),
                    Feedback.raw(new byte[] {1, 2, 3}),
                    new RawRecord("feedback", 0, 1, 0, null, null));

    /** The loops of the counts of refused records, with their numbers. */
    @SuppressWarnings("try") // closing the harness may throw anything, and the test says so
    private static Map<String, Long> counts(boolean counted, boolean atTheEnd) throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        WireCodec<LoopCountsRecord> codec = WireCodec.of(LoopCountsRecord.class);
        LetterPublication operator = new LetterPublication(TOPICS, Topic.DEAD_LETTERS, counted);
        try (var harness =
                new OneInputStreamOperatorTestHarness<DeadLetterRecord, OutgoingRecord>(operator)) {
            harness.open();
            for (RawRecord raw : REFUSED) {
                harness.processElement(raw.toDeadLetter("TIME", "too late"), 0);
            }
            if (atTheEnd) {
                operator.finish();
            } else {
                harness.prepareSnapshotPreBarrier(1);
            }
            int letters = 0;
            for (OutgoingRecord record : harness.extractOutputValues()) {
                if (record.topic().equals(TOPICS.name(Topic.LOOP_COUNTS))) {
                    LoopCountsRecord count = codec.decode(Objects.requireNonNull(record.value()));
                    counts.put(count.getLoop(), count.getUnused().get(0).getCount());
                } else {
                    assertThat(record.topic()).isEqualTo("test.dead-letters");
                    letters++;
                }
            }
            assertThat(letters).isEqualTo(REFUSED.size());
        }
        return counts;
    }

    @Test
    void deadLettersAreCountedForTheLoopThatTheyName() throws Exception {
        Map<String, Long> expected = Map.of("home", 2L, LoopTally.NO_LOOP, 3L);
        assertThat(counts(true, false)).isEqualTo(expected);
        assertThat(counts(true, true)).as("at the end of the input").isEqualTo(expected);
    }

    @Test
    void aReplayCountsNothing() throws Exception {
        assertThat(counts(false, false)).isEmpty();
    }
}
