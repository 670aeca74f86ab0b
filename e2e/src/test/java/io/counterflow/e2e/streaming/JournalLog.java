package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The committed entries of a journal. */
public final class JournalLog {

    private final List<JournalRecord> entries = new ArrayList<>();

    /**
     * @param values the records of the topic, in the order of each partition
     */
    public JournalLog(List<byte[]> values) {
        WireCodec<JournalRecord> codec = WireCodec.of(JournalRecord.class);
        for (byte[] value : values) {
            try {
                entries.add(codec.decode(value));
            } catch (UndecodableRecordException e) {
                throw new AssertionError("an entry that does not decode", e);
            }
        }
    }

    public List<JournalRecord> entries() {
        return entries;
    }

    /** Number of examples. */
    public long examples() {
        return entries.stream().filter(it -> it.getKind() == JournalKindRecord.EXAMPLE).count();
    }

    /** The reward of each example by its event id. Fails if an example is there twice. */
    public Map<String, Double> rewards() {
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        Map<String, Double> rewards = new TreeMap<>();
        for (JournalRecord entry : entries) {
            if (entry.getKind() == JournalKindRecord.EXAMPLE) {
                byte[] record = new byte[entry.getRecord().remaining()];
                entry.getRecord().duplicate().get(record);
                try {
                    ImpressionRecord impression = codec.decode(record);
                    assertThat(rewards.put(impression.getEventId(), entry.getOutcome().getReward()))
                            .as(impression.getEventId())
                            .isNull();
                } catch (UndecodableRecordException e) {
                    throw new AssertionError("an impression that does not decode", e);
                }
            }
        }
        return rewards;
    }

    /** Checks that the entries of each loop are numbered without gaps, in their order. */
    public void assertGapless() {
        Map<String, Long> last = new HashMap<>();
        for (JournalRecord entry : entries) {
            assertThat(entry.getSequence())
                    .as("loop %s", entry.getLoop())
                    .isEqualTo(last.merge(entry.getLoop(), 1L, Long::sum));
        }
    }
}
