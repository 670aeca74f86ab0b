package io.counterflow.serving.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

final class WindowStoreTest {

    private final WindowStore store = new WindowStore();

    @Test
    void theOldestWindowsAreRemoved() {
        for (int n = 0; n < WindowStore.MAX_WINDOWS + 5; n++) {
            store.take(StatsEndpointsIT.window("home", n));
        }
        List<IpsWindowRecord> windows = store.of("home");
        assertThat(windows).hasSize(WindowStore.MAX_WINDOWS);
        assertThat(windows.get(0).getN()).isEqualTo(5);
        assertThat(windows.get(windows.size() - 1).getN()).isEqualTo(WindowStore.MAX_WINDOWS + 4);
        assertThat(store.of("other")).isEmpty();
    }

    @Test
    void theWindowsOfAllLoopsAreLimited() {
        WindowStore small = new WindowStore(50_000);
        for (int n = 0; n < 1_000; n++) {
            small.take(StatsEndpointsIT.window("loop-" + n % 100, n));
            assertThat(small.bytes()).isLessThanOrEqualTo(50_000);
        }
        assertThat(small.of("loop-98")).extracting(IpsWindowRecord::getN).endsWith(998L);
        long kept = 0;
        for (int loop = 0; loop < 100; loop++) {
            kept += small.of("loop-" + loop).size();
        }
        long windows = kept;
        assertThat(windows).isBetween(100L, 300L);
        for (int loop = 0; loop < 100; loop++) { // the oldest ones of all loops are gone
            assertThat(small.of("loop-" + loop))
                    .extracting(IpsWindowRecord::getN)
                    .allMatch(n -> n >= 1_000 - windows);
        }
    }

    /** After a restart, the topic has the windows of both loops. */
    @Test
    void theWindowsOfADeletedLoopAreNotThoseOfALaterOne() {
        read(StatsEndpointsIT.window("home", 1));
        read(StatsEndpointsIT.window("other", 2));
        read(new ConsumerRecord<>("ips-stats", 0, 9, bytes("home"), null));
        assertThat(store.of("home")).isEmpty();
        assertThat(store.newest("home")).isEmpty();
        read(StatsEndpointsIT.window("home", 3));
        assertThat(store.of("home")).extracting(IpsWindowRecord::getN).containsExactly(3L);
        assertThat(store.of("other")).hasSize(1);
    }

    private void read(IpsWindowRecord window) {
        byte[] value = WireCodec.of(IpsWindowRecord.class).encode(window);
        read(new ConsumerRecord<>("ips-stats", 0, 0, bytes(window.getLoop()), value));
    }

    private void read(ConsumerRecord<byte[], byte[]> record) {
        store.take(record, WireCodec.of(IpsWindowRecord.class), message -> {});
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aWindowTakesLessThanAKilobyte() {
        for (int n = 0; n < WindowStore.MAX_WINDOWS; n++) {
            store.take(StatsEndpointsIT.window("home", n));
        }
        assertThat(store.bytes()).isLessThan(WindowStore.MAX_WINDOWS * 1_000L);
    }

    @Test
    void listenersSeeNewWindowsUntilTheyAreRemoved() {
        List<Long> seen = new ArrayList<>();
        Consumer<IpsWindowRecord> listener = window -> seen.add(window.getN());
        store.take(StatsEndpointsIT.window("home", 1));
        store.onWindow(listener);
        store.take(StatsEndpointsIT.window("home", 2));
        store.removeListener(listener);
        store.take(StatsEndpointsIT.window("home", 3));
        assertThat(seen).containsExactly(2L);
    }

    @Test
    void aListOfWindowsDoesNotChange() {
        store.take(StatsEndpointsIT.window("home", 1));
        List<IpsWindowRecord> before = store.of("home");
        store.take(StatsEndpointsIT.window("home", 2));
        assertThat(before).hasSize(1);
    }
}
