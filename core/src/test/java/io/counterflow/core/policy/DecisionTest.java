package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;

final class DecisionTest {

    @Test
    void anActionOfProbabilityZeroIsNeverDrawn() {
        double[] probabilities = {0.0, 1e-3, 0.0, 1.0 - 1e-3, 0.0};
        EventRandom random = new EventRandom(3);
        int rare = 0;
        for (int i = 0; i < 50_000; i++) {
            int action = Decision.drawnFrom(probabilities, random).action();
            assertThat(action).isIn(1, 3);
            rare += action == 1 ? 1 : 0;
        }
        assertThat(rare).isBetween(50 - 29, 50 + 29); // four standard errors of about 7.1
    }

    @Test
    void whatRoundingLeavesFallsToTheLastActionThatCanBeDrawn() {
        // The sum is less than 1, and the uniform number is above the sum.
        double missing = 5e-10;
        double[] probabilities = {0.0, 1.0 - missing, 0.0};
        EventRandom random = seedWhoseFirstUniformIsAbove(1.0 - missing);
        assertThat(Decision.drawnFrom(probabilities, random).action()).isEqualTo(1);
    }

    /** SplitMix64 is a bijection: the state whose first output has its 53 leading bits set. */
    private static EventRandom seedWhoseFirstUniformIsAbove(double least) {
        long z = unshift(-1L, 31);
        z = unshift(z * inverse(0x94d049bb133111ebL), 27);
        z = unshift(z * inverse(0xbf58476d1ce4e5b9L), 30);
        long seed = z - 0x9e3779b97f4a7c15L;
        assertThat(new EventRandom(seed).nextDouble()).isGreaterThan(least);
        return new EventRandom(seed);
    }

    /** Solves y = x ^ (x >>> shift). */
    private static long unshift(long y, int shift) {
        long x = y;
        for (int i = shift; i < 64; i += shift) {
            x = y ^ (x >>> shift);
        }
        return x;
    }

    /** The inverse of an odd number modulo 2^64, by Newton's method. */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int i = 0; i < 6; i++) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }

    @Test
    void theOnlyActionIsDrawnForCertain() {
        Decision decision = Decision.drawnFrom(new double[] {1.0}, new EventRandom(1));
        assertThat(decision.action()).isZero();
        assertThat(decision.propensity()).isEqualTo(1.0);
    }

    @Test
    void theDistributionIsCopiedInAndOut() {
        double[] distribution = {0.25, 0.75};
        Decision decision = new Decision(1, 0.75, PropensityKind.EXACT, distribution);
        distribution[1] = 9.0;
        decision.distribution()[0] = 9.0;
        assertThat(decision.distribution()).containsExactly(0.25, 0.75);
    }

    @Test
    void refusesAnInvalidDistribution() {
        EventRandom random = new EventRandom(1);
        assertThatThrownBy(() -> Decision.drawnFrom(new double[] {0.5, Double.NaN}, random))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("probability of action 1 must be in [0, 1], got NaN");
        assertThatThrownBy(() -> Decision.drawnFrom(new double[] {-0.5, 1.0}, random))
                .hasMessage("probability of action 0 must be in [0, 1], got -0.5");
        assertThatThrownBy(() -> Decision.drawnFrom(new double[] {0.5, 0.4}, random))
                .hasMessage("probabilities must sum to 1, got 0.9");
        assertThatThrownBy(() -> Decision.drawnFrom(new double[0], random))
                .hasMessage("probabilities must sum to 1, got 0.0");
        assertThatThrownBy(() -> new Decision(0, 0.0, PropensityKind.LEARNED, new double[0]))
                .hasMessage("propensity must be in (0, 1], got 0.0");
        assertThatThrownBy(() -> new Decision(2, 0.5, PropensityKind.EXACT, new double[2]))
                .hasMessage("action must be at least 0 and within the distribution, got 2");
    }
}
