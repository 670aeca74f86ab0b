package io.counterflow.core.numeric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Moments are allowed four standard errors of the mean over the draws. */
final class EventRandomTest {

    private static final int DRAWS = 200_000;
    private static final double STANDARD_ERRORS = 4.0;

    @Test
    void isThePublishedSplitMix64() {
        EventRandom random = new EventRandom(1234567);
        assertThat(random.nextLong()).isEqualTo(6457827717110365317L);
        assertThat(random.nextLong()).isEqualTo(3203168211198807973L);
        assertThat(random.nextLong()).isEqualTo(Long.parseUnsignedLong("9817491932198370423"));
        assertThat(random.nextLong()).isEqualTo(4593380528125082431L);
        assertThat(random.nextLong()).isEqualTo(Long.parseUnsignedLong("16408922859458223821"));
    }

    @Test
    void startsAtThePublishedFnv1aHashOfAName() {
        assertStartsAt("", 0xcbf29ce484222325L);
        assertStartsAt("a", 0xaf63dc4c8601ec8cL);
        assertStartsAt("foobar", 0x85944171f73967e8L);
    }

    private static void assertStartsAt(String eventId, long state) {
        assertThat(EventRandom.named(eventId).nextLong())
                .isEqualTo(new EventRandom(state).nextLong());
    }

    /**
     * Computed by an independent implementation: logged decisions are drawn again from these
     * numbers.
     */
    @Test
    void theSeedsOfActionsAndCanariesAreTheseForEver() {
        assertFirst(EventRandom.ofAction("home", "e-1"), 0x66e53b86bee328b2L);
        assertFirst(EventRandom.ofAction("home", "e-2"), 0x08a5c7cacbcb2f0eL);
        assertFirst(EventRandom.ofAction("search", "e-1"), 0x2a75097d1153a165L);
        assertFirst(EventRandom.ofAction("", "é"), 0x03b8dba68ca8097dL);
        assertFirst(EventRandom.ofCanary("home", "e-1"), 0x7a1dee45a669613cL);
        assertFirst(EventRandom.ofCanary("home", "e-2"), 0x92633c362f1da3d3L);
        assertFirst(EventRandom.ofCanary("search", "e-1"), 0x2421d3c533ca7e40L);
        assertFirst(EventRandom.ofCanary("", "é"), 0x214c13035491f1e9L);
    }

    private static void assertFirst(EventRandom random, long first) {
        assertThat(random.nextLong()).isEqualTo(first);
    }

    @Test
    void loopAndEventIdAreKeptApart() {
        assertThat(EventRandom.ofAction("a", "bc").nextLong())
                .isNotEqualTo(EventRandom.ofAction("ab", "c").nextLong());
        assertThat(EventRandom.ofCanary("a", "bc").nextLong())
                .isNotEqualTo(EventRandom.ofCanary("ab", "c").nextLong());
        assertThat(EventRandom.ofAction("", "ab").nextLong())
                .isNotEqualTo(EventRandom.ofAction("ab", "").nextLong());
        assertThat(EventRandom.ofAction("a", "b").nextLong())
                .isNotEqualTo(EventRandom.ofCanary("a", "b").nextLong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"home|search", "home|home2", "a|b", "x|"})
    void twoLoopsThatShareEventIdsDrawIndependently(String loops) {
        String[] names = loops.split("\\|", -1);
        assertIndependent(
                id -> EventRandom.ofAction(names[0], id),
                id -> EventRandom.ofAction(names[1], id),
                "actions of " + loops);
        assertIndependent(
                id -> EventRandom.ofCanary(names[0], id),
                id -> EventRandom.ofCanary(names[1], id),
                "canary buckets of " + loops);
        assertIndependent(
                id -> EventRandom.ofAction(names[0], id),
                id -> EventRandom.ofCanary(names[1], id),
                "actions and canary buckets of " + loops);
    }

    @ParameterizedTest
    @ValueSource(strings = {"home", "a", ""})
    void theActionOfAnEventIsIndependentOfItsCanaryBucket(String loop) {
        assertIndependent(
                id -> EventRandom.ofAction(loop, id),
                id -> EventRandom.ofCanary(loop, id),
                "actions and canary buckets of one loop");
    }

    @Test
    void oneLoopTwiceIsNotIndependent() {
        assertThatThrownBy(
                        () ->
                                assertIndependent(
                                        id -> EventRandom.ofAction("home", id),
                                        id -> EventRandom.ofAction("home", id),
                                        "the same"))
                .isInstanceOf(AssertionError.class);
    }

    /** Both are uniform over 4 cells, so independent ones are uniform over 16. */
    private static void assertIndependent(
            Function<String, EventRandom> one,
            Function<String, EventRandom> other,
            String description) {
        int[] counts = new int[16];
        for (int i = 0; i < 40_000; i++) {
            String id = "event-" + i;
            int row = (int) (4.0 * one.apply(id).nextDouble());
            int column = (int) (4.0 * other.apply(id).nextDouble());
            counts[4 * row + column]++;
        }
        ChiSquare.assertFits(counts, uniform(16), description);
    }

    @Test
    void drawsHaveTheSameBitsEverywhere() {
        EventRandom random = EventRandom.named("e-1");
        assertThat(Double.toHexString(random.nextDouble())).isEqualTo("0x1.27e6b1a7e4e2cp-1");
        assertThat(Double.toHexString(random.nextGaussian())).isEqualTo("0x1.2fe3f98c1e79ap1");
        assertThat(Double.toHexString(random.nextGumbel())).isEqualTo("-0x1.2f6b62aba36ap-6");
        assertThat(random.nextInt(1000)).isEqualTo(416);
    }

    @Test
    void oneIdGivesOneSequenceAndAnotherIdAnother() {
        assertThat(EventRandom.named("e-1").nextLong())
                .isEqualTo(EventRandom.named("e-1").nextLong());
        assertThat(EventRandom.named("e-1").nextLong())
                .isNotEqualTo(EventRandom.named("e-2").nextLong());
        assertThat(EventRandom.named("é").nextLong())
                .isNotEqualTo(EventRandom.named("è").nextLong());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, -1})
    void doublesAreUniform(long seed) {
        EventRandom random = new EventRandom(seed);
        int[] counts = new int[100];
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) (100.0 * random.nextDouble())]++;
        }
        ChiSquare.assertFits(counts, uniform(100), "seed " + seed);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 1000})
    void wholeNumbersAreUniform(int bound) {
        EventRandom random = new EventRandom(bound);
        int[] counts = new int[bound];
        for (int i = 0; i < DRAWS; i++) {
            counts[random.nextInt(bound)]++;
        }
        ChiSquare.assertFits(counts, uniform(bound), "bound " + bound);
    }

    @Test
    void firstDrawsOfSuccessiveEventIdsAreUniform() {
        int[] counts = new int[100];
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) (100.0 * EventRandom.named("event-" + i).nextDouble())]++;
        }
        ChiSquare.assertFits(counts, uniform(100), "event ids");
    }

    @Test
    void normalsHaveTheirFirstFourMoments() {
        EventRandom random = new EventRandom(5);
        double[] sums = new double[5];
        for (int i = 0; i < DRAWS; i++) {
            double power = 1.0;
            double z = random.nextGaussian();
            for (int k = 1; k <= 4; k++) {
                power *= z;
                sums[k] += power;
            }
        }
        // E z^k and the variance of z^k: 0,1 · 1,2 · 0,15 · 3,96.
        assertMean(sums[1], 0.0, 1.0);
        assertMean(sums[2], 1.0, 2.0);
        assertMean(sums[3], 0.0, 15.0);
        assertMean(sums[4], 3.0, 96.0);
    }

    @Test
    void gumbelsHaveTheirMeanAndVariance() {
        EventRandom random = new EventRandom(6);
        double mean = 0.5772156649015329;
        double variance = Math.PI * Math.PI / 6.0;
        double sum = 0.0;
        double squares = 0.0;
        for (int i = 0; i < DRAWS; i++) {
            double g = random.nextGumbel();
            sum += g;
            squares += (g - mean) * (g - mean);
        }
        assertMean(sum, mean, variance);
        // Kurtosis 27/5, so the squared deviation has variance (27/5 − 1) variance².
        assertMean(squares, variance, 4.4 * variance * variance);
    }

    private static void assertMean(double sum, double mean, double variance) {
        assertThat(sum / DRAWS)
                .isCloseTo(mean, within(STANDARD_ERRORS * Math.sqrt(variance / DRAWS)));
    }

    /** The seed is chosen such that the first 63 bits are all ones, beyond the last multiple. */
    @Test
    void aDrawBeyondTheLastWholeMultipleOfTheBoundIsRepeated() {
        long seed = 0x31628af67b2131abL;
        EventRandom random = new EventRandom(seed);
        assertThat(random.nextLong()).isEqualTo(-1L);
        int second = random.nextInt(1_000);
        assertThat(second).isNotEqualTo((int) (Long.MAX_VALUE % 1_000));
        assertThat(new EventRandom(seed).nextInt(1_000)).isEqualTo(second);
    }

    @Test
    void refusesAnEmptyRange() {
        assertThatThrownBy(() -> new EventRandom(0).nextInt(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bound must be at least 1, got 0");
    }

    private static double[] uniform(int n) {
        double[] probabilities = new double[n];
        Arrays.fill(probabilities, 1.0 / n);
        return probabilities;
    }
}
