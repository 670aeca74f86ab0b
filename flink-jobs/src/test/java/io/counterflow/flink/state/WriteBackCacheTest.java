package io.counterflow.flink.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class WriteBackCacheTest {

    /** A store of texts that weigh their length, and what was asked of it. */
    private static final class Texts implements LoopStore<StringBuilder> {
        final Map<String, String> kept = new HashMap<>();
        final List<String> calls = new ArrayList<>();
        boolean broken;

        @Override
        public StringBuilder load(String loop) {
            calls.add("load " + loop);
            return new StringBuilder(kept.getOrDefault(loop, ""));
        }

        @Override
        public void write(String loop, StringBuilder value) throws IOException {
            if (broken) {
                throw new IOException("disk full");
            }
            calls.add("write " + loop);
            kept.put(loop, value.toString());
        }

        @Override
        public long weigh(StringBuilder value) {
            return value.length();
        }
    }

    private final Texts texts = new Texts();

    private WriteBackCache<StringBuilder> cache(long maxWeight) {
        return new WriteBackCache<>(maxWeight, texts);
    }

    private static void append(WriteBackCache<StringBuilder> cache, String loop, String text)
            throws Exception {
        cache.get(loop).append(text);
        cache.changed(loop);
    }

    @Test
    void aLoopIsLoadedOnceAndWrittenOnlyWhenAsked() throws Exception {
        WriteBackCache<StringBuilder> cache = cache(100);
        append(cache, "a", "x");
        append(cache, "a", "y");
        assertThat(texts.calls).containsExactly("load a");
        cache.writeBack();
        assertThat(texts.kept).containsEntry("a", "xy");
        assertThat(cache.get("a")).hasToString("xy");
        assertThat(texts.calls).containsExactly("load a", "write a");
    }

    @Test
    void whatHasNotChangedIsNotWrittenAgain() throws Exception {
        WriteBackCache<StringBuilder> cache = cache(100);
        append(cache, "a", "x");
        cache.get("b");
        cache.writeBack();
        cache.writeBack();
        assertThat(texts.calls).containsExactly("load a", "load b", "write a");
    }

    @Test
    void theLeastRecentlyUsedMakesRoomAndIsWrittenFirst() throws Exception {
        WriteBackCache<StringBuilder> cache = cache(4);
        append(cache, "a", "aa");
        append(cache, "b", "bb");
        cache.get("a");
        append(cache, "c", "c");
        assertThat(texts.kept).containsOnlyKeys("b");
        assertThat(cache.size()).isEqualTo(2);
        assertThat(cache.weight()).isEqualTo(3);
        assertThat(cache.get("b")).hasToString("bb");
    }

    @Test
    void aLoopThatMakesRoomUnchangedIsNotWritten() throws Exception {
        texts.kept.put("a", "aaa");
        texts.kept.put("b", "bbb");
        WriteBackCache<StringBuilder> cache = cache(4);
        cache.get("a");
        cache.get("b");
        assertThat(texts.calls).containsExactly("load a", "load b");
        assertThat(cache.size()).isEqualTo(1);
    }

    @Test
    void theLoopInUseStaysEvenWhenItIsTooHeavy() throws Exception {
        WriteBackCache<StringBuilder> cache = cache(1);
        StringBuilder value = cache.get("a");
        value.append("heavy");
        cache.changed("a");
        assertThat(cache.get("a")).isSameAs(value);
        assertThat(texts.kept).isEmpty();
    }

    @Test
    void aForgottenLoopIsNotWritten() throws Exception {
        WriteBackCache<StringBuilder> cache = cache(100);
        append(cache, "a", "x");
        cache.forget("a");
        cache.forget("never here");
        cache.writeBack();
        assertThat(texts.kept).isEmpty();
        assertThat(cache.size()).isZero();
        assertThat(cache.weight()).isZero();
    }

    @Test
    void whatCouldNotBeWrittenIsNotForgotten() throws Exception {
        WriteBackCache<StringBuilder> cache = cache(2);
        append(cache, "a", "aa");
        texts.broken = true;
        assertThatThrownBy(() -> append(cache, "b", "b")).hasMessage("disk full");
        texts.broken = false;
        cache.writeBack();
        assertThat(texts.kept).containsEntry("a", "aa").containsEntry("b", "b");
    }

    @Test
    void aChangeOfALoopThatIsNotAtHandIsRefused() {
        assertThatThrownBy(() -> cache(1).changed("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("loop a has changed but is not in memory");
    }

    @Test
    void aCacheNeedsRoom() {
        assertThatThrownBy(() -> cache(0)).hasMessage("maxWeight must be at least 1, got 0");
    }

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noSizeOfCacheChangesWhatIsKept(long seed) throws Exception {
        Map<String, String> expected = new HashMap<>();
        SplittableRandom random = new SplittableRandom(seed);
        WriteBackCache<StringBuilder> cache = cache(random.nextInt(1, 40));
        for (int i = 0; i < 300; i++) {
            String loop = "loop-" + random.nextInt(6);
            if (random.nextInt(20) == 0) {
                cache.forget(loop);
                texts.kept.remove(loop);
                expected.remove(loop);
            } else if (random.nextInt(10) == 0) {
                cache.writeBack();
                assertThat(texts.kept).as("seed %d, step %d", seed, i).isEqualTo(expected);
            } else {
                append(cache, loop, Integer.toString(i % 10));
                expected.merge(loop, Integer.toString(i % 10), String::concat);
            }
        }
        cache.writeBack();
        assertThat(texts.kept).as("seed %d", seed).isEqualTo(expected);
    }
}
