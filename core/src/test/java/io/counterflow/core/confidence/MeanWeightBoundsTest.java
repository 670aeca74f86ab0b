package io.counterflow.core.confidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Numbers;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class MeanWeightBoundsTest {

    private static final double DELTA = 0.05;

    private static final double NONE = Double.POSITIVE_INFINITY;

    /** Adds drawn examples with propensities of at least 1/W. */
    private static void addDrawn(MeanWeightBounds bounds, double maxWeight, long seed) {
        EventRandom random = new EventRandom(seed);
        double propensity = 1.0 / maxWeight + (1.0 - 1.0 / maxWeight) * random.nextDouble();
        bounds.add(random.nextDouble(), propensity, maxWeight);
    }

    @Test
    void withOneLargestWeightTheyAreThoseOfTheSequence() {
        MeanWeightBounds bounds = new MeanWeightBounds();
        MeanWeightSequence sequence = new MeanWeightSequence(20.0);
        for (int i = 0; i < 500; i++) {
            EventRandom random = new EventRandom(i);
            double target = random.nextDouble();
            double propensity = 0.05 + 0.95 * random.nextDouble();
            bounds.add(target, propensity, 20.0);
            sequence.add(target / propensity);
        }
        assertThat(bounds.count()).isEqualTo(500);
        assertThat(bounds.lowerBound(DELTA)).isPositive().isEqualTo(sequence.lowerBound(DELTA));
        assertThat(bounds.upperBound(DELTA)).hasValue(sequence.upperBound(DELTA));
    }

    @Test
    void anExplorationFloorBoundsTheWeights() {
        assertThat(MeanWeightBounds.maxWeight(10, 0.2)).isEqualTo(50.0);
        assertThat(MeanWeightBounds.maxWeight(10, 0.0)).isInfinite();
    }

    @Test
    void withoutALargestWeightThereIsNoUpperSide() {
        MeanWeightBounds bounds = new MeanWeightBounds();
        bounds.add(0.5, 1e-300, NONE);
        assertThat(bounds.upperBound(DELTA)).isEmpty();
        assertThat(bounds.lowerBound(DELTA)).isFinite();
    }

    @Test
    void aPropensityBelowTheBoundEndsTheUpperSide() {
        MeanWeightBounds bounds = new MeanWeightBounds();
        bounds.add(0.5, 0.1, 10.0);
        assertThat(bounds.upperBound(DELTA)).isPresent();
        bounds.add(0.0, 0.09, 10.0); // a weight of 0, but others could have been above 10
        assertThat(bounds.upperBound(DELTA)).isEmpty();
        bounds.add(0.5, 0.5, 10.0);
        assertThat(bounds.upperBound(DELTA)).isEmpty();
        assertThat(bounds.count()).isEqualTo(3);
    }

    @Test
    void aLargerBoundEndsTheUpperSideAndASmallerOneDoesNot() {
        MeanWeightBounds bounds = new MeanWeightBounds();
        bounds.add(0.5, 0.5, 10.0);
        bounds.add(0.5, 0.5, 4.0);
        assertThat(bounds.upperBound(DELTA)).isPresent();
        bounds.add(0.5, 0.5, 12.0);
        assertThat(bounds.upperBound(DELTA)).isEmpty();
    }

    @Test
    void aWeightThatRoundingLiftsAboveTheLargestOneIsTaken() {
        MeanWeightBounds bounds = new MeanWeightBounds();
        bounds.add(1.0, Math.nextDown(0.1), 10.0);
        assertThat(bounds.upperBound(DELTA)).isPresent();
    }

    @Test
    void mergingIsTakingBoth() {
        MeanWeightBounds whole = new MeanWeightBounds();
        MeanWeightBounds first = new MeanWeightBounds();
        MeanWeightBounds second = new MeanWeightBounds();
        for (int i = 0; i < 200; i++) {
            addDrawn(whole, 20.0, i);
            addDrawn(i < 80 ? first : second, 20.0, i);
        }
        MeanWeightBounds merged = new MeanWeightBounds();
        merged.merge(first);
        assertThat(merged.state()).isEqualTo(first.state());
        merged.merge(new MeanWeightBounds());
        assertThat(merged.state()).isEqualTo(first.state());
        merged.merge(second);
        assertThat(merged.count()).isEqualTo(200);
        assertThat(merged.lowerBound(DELTA)).isCloseTo(whole.lowerBound(DELTA), within(1e-9));
        assertThat(merged.upperBound(DELTA).orElseThrow())
                .isCloseTo(whole.upperBound(DELTA).orElseThrow(), within(1e-9));
    }

    @Test
    void mergingTwoLargestWeightsEndsTheUpperSide() {
        MeanWeightBounds one = new MeanWeightBounds();
        MeanWeightBounds other = new MeanWeightBounds();
        addDrawn(one, 20.0, 1);
        addDrawn(other, 10.0, 2);
        one.merge(other);
        assertThat(one.upperBound(DELTA)).isEqualTo(OptionalDouble.empty());
        assertThat(one.count()).isEqualTo(2);
    }

    @Test
    void aRestartBetweenAnyTwoExamplesChangesNoBit() {
        MeanWeightBounds uninterrupted = new MeanWeightBounds();
        MeanWeightBounds restarted = new MeanWeightBounds();
        for (int i = 0; i < 60; i++) {
            double maxWeight = i < 40 ? 20.0 : 30.0; // the upper side ends on the way
            addDrawn(uninterrupted, maxWeight, i);
            restarted = MeanWeightBounds.restore(restarted.state());
            addDrawn(restarted, maxWeight, i);
            assertThat(restarted.state()).isEqualTo(uninterrupted.state());
        }
        assertThat(restarted.upperBound(DELTA)).isEmpty();
    }

    @Test
    void aStateOfHalfAnUpperSideIsRefused() {
        SequenceState some = new SequenceState(Numbers.of(1.0), Numbers.of(0.0), 0);
        assertThatThrownBy(() -> new MeanWeightState(10.0, some, Optional.empty()))
                .hasMessage("above must be present exactly if maxWeight is finite, got 10.0");
        assertThatThrownBy(() -> new MeanWeightState(NONE, some, Optional.of(some)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
