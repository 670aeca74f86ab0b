package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ExampleRingTest {

    /** Size of an example without its features and exclusions. */
    private static final long AROUND = 128;

    private static final ExampleLoss LOSS = Objectives.ipsLpr(0.01, 0.0).fixedLoss().orElseThrow();

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    /** Features of this many bytes, and numbers that tell examples apart. */
    private static LoggedExample example(int bytes, int number) {
        return new LoggedExample(
                DenseVector.of(new float[bytes / 4]), number, 0.5, (number % 7) / 7.0, number % 3);
    }

    private static ExampleRing ring(int size, int capacity, long bytes) {
        return new ExampleRing(capacity, bytes, size, LOSS);
    }

    private static List<Integer> numbers(ExampleRing ring) {
        return ring.examples().stream().map(LoggedExample::action).toList();
    }

    @Test
    void aRingHasNoMorePositionsThanItsBytesCanFill() {
        ExampleRing ring = ring(2, 10_000_000, 10 * AROUND);
        for (int i = 0; i < 100; i++) {
            ring.add(example(0, i));
        }
        assertThat(ring.log().size()).isEqualTo(10);
        assertThat(numbers(ring)).containsExactly(90, 91, 92, 93, 94, 95, 96, 97, 98, 99);
        assertThat(ring(3, 10_000_000, 1).position(3)).as("three places").isZero();
    }

    @Test
    void beyondTheMaximumSizeTheOldestExamplesAreRemoved() {
        ExampleRing ring = ring(1, 100, 4 * (AROUND + 100));
        for (int i = 0; i < 10; i++) {
            ring.add(example(100, i));
        }
        assertThat(numbers(ring)).containsExactly(6, 7, 8, 9);
        assertThat(ring.bytes()).isEqualTo(4 * (AROUND + 100));
        ring.add(example(240, 10));
        assertThat(numbers(ring)).as("one of 368 bytes for two of 228").containsExactly(8, 9, 10);
        ring.add(example(4, 11));
        assertThat(numbers(ring)).as("912 bytes have no room for 956").containsExactly(9, 10, 11);
        ring.add(example(0, 12));
        assertThat(numbers(ring)).containsExactly(9, 10, 11, 12);
        assertThat(ring.bytes()).isEqualTo(4 * AROUND + 344);
    }

    @Test
    void theCurrentMiniBatchIsKeptWhateverItsSize() {
        ExampleRing ring = ring(3, 100, 1);
        for (int i = 0; i < 10; i++) {
            ring.add(example(1_000, i));
            assertThat(ring.size()).isEqualTo(Math.min(i + 1, 3));
        }
        assertThat(numbers(ring)).containsExactly(7, 8, 9);
        assertThat(ring.bytes()).isEqualTo(3 * (AROUND + 1_000));
    }

    @Test
    void removedExamplesAreReleased() {
        ExampleRing ring = ring(1, 100, 5 * (AROUND + 100));
        for (int i = 0; i < 50; i++) {
            ring.add(example(100, i));
            assertThat(bytesHeld(ring.log()) + ring.size() * AROUND).isEqualTo(ring.bytes());
        }
        int asLargeAsFive = 4 * (128 + 100) + 100;
        ring.add(example(asLargeAsFive, 50));
        assertThat(bytesHeld(ring.log())).isEqualTo(asLargeAsFive);
        ring.keepNewest(0);
        assertThat(bytesHeld(ring.log())).isZero();
        assertThat(ring.bytes()).isZero();
    }

    private static long bytesHeld(ExampleLog log) {
        long bytes = 0;
        for (int i = 0; i < log.size(); i++) {
            bytes += log.features(i).bytes() + 4L * log.allowed(i).excluded().length;
        }
        return bytes;
    }

    @Test
    void exclusionsCountAndAreReleased() {
        ExampleRing ring = ring(1, 100, 2 * (AROUND + 400));
        for (int i = 0; i < 10; i++) {
            ring.add(excluding(100, example(0, i)));
        }
        assertThat(numbers(ring)).containsExactly(8, 9);
        assertThat(ring.bytes()).isEqualTo(2 * (AROUND + 400));
        assertThat(bytesHeld(ring.log())).isEqualTo(800);
    }

    /** The same example with this number of excluded actions. */
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

    @Test
    void theLargestCapacityTakesNoMemoryBeforeItIsUsed() {
        ExampleRing ring = ring(2, Integer.MAX_VALUE, 2 * AROUND + 250);
        for (int i = 0; i < 1_000; i++) {
            ring.add(example(100, i));
        }
        assertThat(numbers(ring)).containsExactly(998, 999);
        assertThat(ring.coefficients().length).isLessThan(2_000);
    }

    /** A list that drops its first elements behaves the same. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aRingIsAListThatDropsItsHead(long seed) {
        EventRandom random = new EventRandom(seed);
        int fewest = 1 + random.nextInt(5);
        int capacity = fewest + random.nextInt(40);
        long largest = random.nextInt(3) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(3_000);
        ExampleRing ring = ring(fewest, capacity, largest);
        List<LoggedExample> list = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (random.nextInt(60) == 0) {
                int kept = random.nextInt(Math.min(fewest, list.size()) + 1);
                ring.keepNewest(kept);
                list.subList(0, list.size() - kept).clear();
            }
            LoggedExample next = excluding(random.nextInt(20), example(4 * random.nextInt(40), i));
            ring.add(next);
            list.add(next);
            while (list.size() > capacity || (bytes(list) > largest && list.size() > fewest)) {
                list.remove(0);
            }
            assertSame(ring, list, "seed %d, example %d".formatted(seed, i));
        }
    }

    private static long bytes(List<LoggedExample> list) {
        return list.stream()
                .mapToLong(e -> AROUND + e.features().bytes() + 4L * e.allowed().excluded().length)
                .sum();
    }

    private static void assertSame(ExampleRing ring, List<LoggedExample> list, String when) {
        assertThat(ring.examples()).as(when).isEqualTo(list);
        assertThat(ring.size()).as(when).isEqualTo(list.size());
        assertThat(ring.bytes()).as(when).isEqualTo(bytes(list));
        assertThat(bytesHeld(ring.log()) + list.size() * AROUND).as(when).isEqualTo(bytes(list));
        double[] coefficients = new double[list.size()];
        double[] expected = new double[list.size()];
        for (int age = 0; age < list.size(); age++) {
            LoggedExample example = list.get(age);
            coefficients[age] = ring.coefficients()[ring.position(age)];
            expected[age] = LOSS.coefficient(example.propensity(), example.reward());
        }
        assertThat(coefficients).as(when).isEqualTo(expected);
        ExampleLog ofOne = ring.loggedBy(1, Long.MAX_VALUE);
        List<LoggedExample> selected = new ArrayList<>();
        for (int i = 0; i < ofOne.size(); i++) {
            selected.add(ofOne.example(i));
        }
        assertThat(selected)
                .as(when)
                .isEqualTo(list.stream().filter(e -> e.policyVersion() == 1).toList());
    }
}
