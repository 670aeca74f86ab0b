package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.ExampleLoss;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ExampleRingTest {

    private static final ExampleLoss LOSS =
            new StreamObjective(StreamObjective.Kind.IPS_LPR, 0.0, 0.01, 1.0).loss();

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    /** Features of this many bytes, and numbers that tell examples apart. */
    private static LoggedExample example(int bytes, int number) {
        return new LoggedExample(
                DenseVector.of(new float[bytes / 4]), number, 0.5, (number % 7) / 7.0, number % 3);
    }

    private static ExampleRing ring(int size, int capacity, long bytes) {
        return new ExampleRing(new MiniBatches(size, 0, capacity, 1, bytes), LOSS);
    }

    private static List<Integer> numbers(ExampleRing ring) {
        return ring.examples().stream().map(LoggedExample::action).toList();
    }

    @Test
    void beyondTheBytesTheOldestGiveWay() {
        ExampleRing ring = ring(1, 100, 400);
        for (int i = 0; i < 10; i++) {
            ring.add(example(100, i));
        }
        assertThat(numbers(ring)).containsExactly(6, 7, 8, 9);
        assertThat(ring.bytes()).isEqualTo(400);
        ring.add(example(240, 10));
        assertThat(numbers(ring)).containsExactly(9, 10);
        ring.add(example(4, 11));
        assertThat(numbers(ring)).containsExactly(9, 10, 11);
        assertThat(ring.bytes()).isEqualTo(344);
    }

    @Test
    void theMiniBatchThatIsBeingFilledStaysHoweverLarge() {
        ExampleRing ring = ring(3, 100, 1);
        for (int i = 0; i < 10; i++) {
            ring.add(example(1_000, i));
            assertThat(ring.size()).isEqualTo(Math.min(i + 1, 3));
        }
        assertThat(numbers(ring)).containsExactly(7, 8, 9);
        assertThat(ring.bytes()).isEqualTo(3_000);
    }

    @Test
    void whatGaveWayIsReleased() {
        ExampleRing ring = ring(1, 100, 500);
        for (int i = 0; i < 50; i++) {
            ring.add(example(100, i));
            assertThat(bytesHeld(ring.log())).isEqualTo(ring.bytes());
        }
        ring.add(example(500, 50));
        assertThat(bytesHeld(ring.log())).isEqualTo(500);
        ring.keepNewest(0);
        assertThat(bytesHeld(ring.log())).isZero();
        assertThat(ring.bytes()).isZero();
    }

    private static long bytesHeld(ExampleLog log) {
        long bytes = 0;
        for (int i = 0; i < log.size(); i++) {
            bytes += log.features(i).bytes();
        }
        return bytes;
    }

    @Test
    void theLargestCapacityTakesNoMemoryBeforeItIsUsed() {
        ExampleRing ring = ring(2, Integer.MAX_VALUE, 250);
        for (int i = 0; i < 1_000; i++) {
            ring.add(example(100, i));
        }
        assertThat(numbers(ring)).containsExactly(998, 999);
        assertThat(ring.coefficients().length).isLessThan(2_000);
    }

    /** A list that drops from its head does the same, whatever comes. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aRingIsAListThatDropsItsHead(long seed) {
        EventRandom random = new EventRandom(seed);
        int fewest = 1 + random.nextInt(5);
        int capacity = fewest + random.nextInt(40);
        long largest = random.nextInt(3) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(600);
        ExampleRing ring = ring(fewest, capacity, largest);
        List<LoggedExample> list = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (random.nextInt(60) == 0) {
                int kept = random.nextInt(Math.min(fewest, list.size()) + 1);
                ring.keepNewest(kept);
                list.subList(0, list.size() - kept).clear();
            }
            LoggedExample next = example(4 * random.nextInt(40), i);
            ring.add(next);
            list.add(next);
            while (list.size() > capacity || (bytes(list) > largest && list.size() > fewest)) {
                list.remove(0);
            }
            assertSame(ring, list, "seed %d, example %d".formatted(seed, i));
        }
    }

    private static long bytes(List<LoggedExample> list) {
        return list.stream().mapToLong(example -> example.features().bytes()).sum();
    }

    private static void assertSame(ExampleRing ring, List<LoggedExample> list, String when) {
        assertThat(ring.examples()).as(when).isEqualTo(list);
        assertThat(ring.size()).as(when).isEqualTo(list.size());
        assertThat(ring.bytes()).as(when).isEqualTo(bytes(list));
        assertThat(bytesHeld(ring.log())).as(when).isEqualTo(bytes(list));
        double[] coefficients = new double[list.size()];
        double[] expected = new double[list.size()];
        for (int age = 0; age < list.size(); age++) {
            LoggedExample example = list.get(age);
            coefficients[age] = ring.coefficients()[ring.position(age)];
            expected[age] = LOSS.coefficient(example.propensity(), example.reward());
        }
        assertThat(coefficients).as(when).isEqualTo(expected);
        ExampleLog ofOne = ring.loggedBy(1);
        List<LoggedExample> selected = new ArrayList<>();
        for (int i = 0; i < ofOne.size(); i++) {
            selected.add(ofOne.example(i));
        }
        assertThat(selected)
                .as(when)
                .isEqualTo(list.stream().filter(e -> e.policyVersion() == 1).toList());
    }
}
