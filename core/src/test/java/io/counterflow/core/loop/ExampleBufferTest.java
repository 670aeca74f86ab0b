package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ExampleBufferTest {

    /** Size of an example without its features and exclusions. */
    private static final long AROUND = 128;

    private final InMemoryStorage storage = new InMemoryStorage();

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    /** Features of this many bytes, and numbers that tell examples apart. */
    private static LoggedExample example(int bytes, int number) {
        return new LoggedExample(
                DenseVector.of(new float[bytes / 4]), number, 0.5, (number % 7) / 7.0, number % 3);
    }

    private static LoggedExample excluding(int count, LoggedExample example) {
        int first = example.action() + 1;
        return new LoggedExample(
                example.features(),
                AllowedActions.allBut(IntStream.range(first, first + count).toArray()),
                example.action(),
                example.propensity(),
                example.reward(),
                example.policyVersion());
    }

    private ExampleBuffer buffer(int batchSize, int capacity, long bytes) {
        return new ExampleBuffer(storage, capacity, bytes, batchSize, BufferState.empty(), 0);
    }

    /** Adds examples from a number on; a step follows each mini-batch. */
    private static void add(ExampleBuffer buffer, int batchSize, int from, int to, int bytes) {
        for (int i = from; i < to; i++) {
            buffer.add(example(bytes, i));
            if ((i + 1) % batchSize == 0) {
                buffer.closeBlock();
            }
        }
    }

    private List<Integer> numbers(ExampleBuffer buffer) {
        return LoopRun.examples(buffer.state(), storage).stream()
                .map(LoggedExample::action)
                .toList();
    }

    @Test
    void aFullBlockIsStoredAndNoLongerInMemory() {
        ExampleBuffer buffer = buffer(4, 100, Long.MAX_VALUE);
        add(buffer, 4, 0, 7, 100);
        assertThat(buffer.openBytes()).isEqualTo(7 * (AROUND + 100));
        add(buffer, 4, 7, 14, 100);
        assertThat(buffer.state().blocks())
                .as("at least an eighth of the capacity, and whole mini-batches")
                .containsExactly(new BufferState.Block(0, 12, 12 * (AROUND + 100)));
        assertThat(buffer.openBytes()).isEqualTo(2 * (AROUND + 100));
        assertThat(storage.block(0).size()).isEqualTo(12);
        assertThat(buffer.size()).isEqualTo(14);
    }

    @Test
    void blocksOfALargeBufferHave64ExamplesOrAMiniBatch() {
        ExampleBuffer small = buffer(10, 10_000, Long.MAX_VALUE);
        add(small, 10, 0, 200, 0);
        assertThat(small.state().blocks()).extracting(it -> it.size()).containsOnly(70);
        ExampleBuffer large = buffer(200, 10_000, Long.MAX_VALUE);
        add(large, 200, 0, 400, 0);
        assertThat(large.state().blocks()).extracting(it -> it.size()).containsOnly(200);
    }

    @Test
    void theOldestBlocksAreRemovedBeyondTheCapacityOrTheBytes() {
        ExampleBuffer byNumber = buffer(5, 12, Long.MAX_VALUE);
        add(byNumber, 5, 0, 18, 0);
        assertThat(numbers(byNumber)).containsExactly(10, 11, 12, 13, 14, 15, 16, 17);
        ExampleBuffer byBytes = buffer(5, 40, 12 * (AROUND + 100));
        add(byBytes, 5, 0, 12, 100);
        assertThat(byBytes.size()).isEqualTo(12);
        add(byBytes, 5, 12, 13, 100);
        assertThat(numbers(byBytes)).containsExactly(5, 6, 7, 8, 9, 10, 11, 12);
    }

    @Test
    void removedBlocksAreRemovedFromTheStorage() {
        ExampleBuffer buffer = buffer(2, 4, Long.MAX_VALUE);
        add(buffer, 2, 0, 100, 4);
        assertThat(buffer.state().blocks()).extracting(it -> it.first()).containsExactly(96L, 98L);
        for (long first = 0; first < 96; first += 2) {
            assertThat(isStored(first)).isFalse();
        }
        buffer.keepNewest(0);
        assertThat(isStored(96) || isStored(98)).isFalse();
        assertThat(buffer.size()).isZero();
    }

    private boolean isStored(long first) {
        try {
            return storage.block(first).size() > 0;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Test
    void theCurrentMiniBatchIsKeptWhateverItsSize() {
        ExampleBuffer buffer = buffer(3, 3, 1);
        for (int i = 0; i < 10; i++) {
            add(buffer, 3, i, i + 1, 1_000);
            assertThat(buffer.size()).isEqualTo(1 + i % 3);
        }
    }

    @Test
    void exclusionsCount() {
        ExampleBuffer buffer = buffer(1, 100, Long.MAX_VALUE);
        buffer.add(excluding(100, example(0, 1)));
        assertThat(buffer.openBytes()).isEqualTo(AROUND + 400);
    }

    /** A list of blocks that drops its first block behaves the same, with any restart. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aBufferIsAListThatDropsItsHead(long seed) {
        EventRandom random = new EventRandom(seed);
        int batch = 1 + random.nextInt(5);
        int capacity = batch + random.nextInt(200);
        long largest = random.nextInt(3) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(9_000);
        ExampleBuffer buffer = buffer(batch, capacity, largest);
        int blockSize = Math.max(batch, Math.min(64, capacity / 8));
        List<List<LoggedExample>> blocks = new ArrayList<>();
        List<LoggedExample> open = new ArrayList<>();
        int pending = 0;
        for (int i = 0; i < 400; i++) {
            LoggedExample next = excluding(random.nextInt(20), example(4 * random.nextInt(40), i));
            buffer.add(next);
            open.add(next);
            pending++;
            while (!blocks.isEmpty()
                    && (count(blocks, open) > capacity || bytes(blocks, open) > largest)) {
                blocks.remove(0);
            }
            if (pending == batch) {
                pending = 0;
                buffer.closeBlock();
                if (open.size() >= blockSize) {
                    blocks.add(List.copyOf(open));
                    open.clear();
                }
            }
            if (random.nextInt(100) == 0) {
                buffer.keepNewest(pending);
                blocks.clear();
                open.subList(0, open.size() - pending).clear();
            }
            if (random.nextInt(20) == 0) {
                buffer =
                        new ExampleBuffer(
                                storage, capacity, largest, batch, buffer.state(), i + 1L);
            }
            assertSame(buffer, blocks, open, "seed %d, example %d".formatted(seed, i));
        }
    }

    private static long count(List<List<LoggedExample>> blocks, List<LoggedExample> open) {
        return all(blocks, open).size();
    }

    private static List<LoggedExample> all(
            List<List<LoggedExample>> blocks, List<LoggedExample> open) {
        List<LoggedExample> all = new ArrayList<>();
        blocks.forEach(all::addAll);
        all.addAll(open);
        return all;
    }

    private static long bytes(List<List<LoggedExample>> blocks, List<LoggedExample> open) {
        return all(blocks, open).stream()
                .mapToLong(e -> AROUND + e.features().bytes() + 4L * e.allowed().excluded().length)
                .sum();
    }

    private void assertSame(
            ExampleBuffer buffer,
            List<List<LoggedExample>> blocks,
            List<LoggedExample> open,
            String when) {
        List<LoggedExample> all = all(blocks, open);
        assertThat(buffer.size()).as(when).isEqualTo(all.size());
        assertThat(LoopRun.examples(buffer.state(), storage)).as(when).isEqualTo(all);
        assertThat(examples(buffer.all())).as(when).isEqualTo(all);
        assertThat(buffer.openBytes()).as(when).isEqualTo(bytes(List.of(), open));
        for (int age = 0; age < all.size(); age++) {
            ExampleBuffer.Place place = buffer.place(age);
            assertThat(place.block().example(place.offset())).as(when).isEqualTo(all.get(age));
        }
        int from = all.isEmpty() ? 0 : all.get(all.size() / 2).action();
        assertThat(examples(buffer.loggedBy(1, from)))
                .as(when)
                .isEqualTo(
                        all.stream()
                                .filter(e -> e.policyVersion() == 1 && e.action() >= from)
                                .toList());
    }

    private static List<LoggedExample> examples(ExampleLog log) {
        List<LoggedExample> examples = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            examples.add(log.example(i));
        }
        return examples;
    }
}
