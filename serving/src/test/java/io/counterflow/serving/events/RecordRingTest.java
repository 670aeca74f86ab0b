package io.counterflow.serving.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class RecordRingTest {

    private static final int MAX_RECORDS = 7;
    private static final int MAX_BYTES = 100;

    private record Added(String key, String value) {}

    @Test
    void itHoldsTheNewestRecordsThatFit() {
        Random random = new Random(1);
        for (int history = 0; history < 200; history++) {
            int longest = 1 + random.nextInt(MAX_BYTES - 2);
            RecordRing ring = new RecordRing(MAX_RECORDS, MAX_BYTES);
            Deque<Added> added = new ArrayDeque<>();
            for (int i = 0; i < 50; i++) {
                String value =
                        random.ints(random.nextInt(longest), 'a', 'z' + 1)
                                .mapToObj(Character::toString)
                                .collect(Collectors.joining());
                String key = "k" + random.nextInt(3);
                ring.add(key, value.getBytes(StandardCharsets.UTF_8));
                added.addFirst(new Added(key, value));
                requireNewest(ring, added);
            }
        }
    }

    /** A prefix of what was added: all of it, or as much as its limits allow. */
    private static void requireNewest(RecordRing ring, Deque<Added> newestFirst) {
        int known = 0;
        for (int k = 0; k < 3; k++) {
            List<String> values =
                    ring.newestFirst("k" + k).stream()
                            .map(value -> new String(value, StandardCharsets.UTF_8))
                            .toList();
            List<String> expected = new ArrayList<>();
            for (Added each : newestFirst) {
                if (each.key().equals("k" + k)) {
                    expected.add(each.value());
                }
            }
            assertThat(values).isEqualTo(expected.subList(0, values.size()));
            known += values.size();
        }
        assertThat(known).isLessThanOrEqualTo(MAX_RECORDS);
        if (known < Math.min(MAX_RECORDS, newestFirst.size())) { // the next one did not fit
            assertThat(bytes(newestFirst, known + 1) + longestGap(newestFirst, known + 1))
                    .isGreaterThan(MAX_BYTES);
        }
    }

    private static int bytes(Deque<Added> newestFirst, int records) {
        int bytes = 0;
        Iterator<Added> it = newestFirst.iterator();
        for (int i = 0; i < records; i++) {
            Added each = it.next();
            bytes += each.key().length() + each.value().length();
        }
        return bytes;
    }

    /** A record that does not fit before the end of the ring leaves a gap that is shorter. */
    private static int longestGap(Deque<Added> newestFirst, int records) {
        int longest = 0;
        Iterator<Added> it = newestFirst.iterator();
        for (int i = 0; i < records; i++) {
            Added each = it.next();
            longest = Math.max(longest, each.key().length() + each.value().length() - 1);
        }
        return longest;
    }

    @Test
    void aRecordThatIsTooLargeIsNotKept() {
        RecordRing ring = new RecordRing(MAX_RECORDS, MAX_BYTES);
        ring.add("a", new byte[10]);
        ring.add("b", new byte[MAX_BYTES]);
        assertThat(ring.newestFirst("a")).hasSize(1);
        assertThat(ring.newestFirst("b")).isEmpty();
    }
}
