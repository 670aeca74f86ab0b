package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HoldoutShareTest {

    private static final int EVENTS = 100_000;

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.5})
    void theHoldoutHasItsShareOfTheEvents(double share) {
        long held = 0;
        for (int i = 0; i < EVENTS; i++) {
            held += HoldoutShare.contains("loop", "e-" + i, share) ? 1 : 0;
        }
        double deviation = Math.sqrt(share * (1.0 - share) / EVENTS);
        assertThat((double) held / EVENTS).isCloseTo(share, within(4.0 * deviation));
    }

    @Test
    void aHoldoutWithoutAShareIsEmpty() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(HoldoutShare.contains("loop", "e-" + i, 0.0)).isFalse();
        }
    }

    @Test
    void aLargerHoldoutContainsTheEventsOfASmallerOne() {
        for (int i = 0; i < 1_000; i++) {
            if (HoldoutShare.contains("loop", "e-" + i, 0.1)) {
                assertThat(HoldoutShare.contains("loop", "e-" + i, 0.2)).isTrue();
            }
        }
    }

    @Test
    void theHoldoutIsIndependentOfTheCanaryAndOfTheActionDraw() {
        int held = 0;
        int canaries = 0;
        double draws = 0.0;
        for (int i = 0; i < EVENTS; i++) {
            String id = "e-" + i;
            if (HoldoutShare.contains("loop", id, 0.2)) {
                held++;
                canaries += CanaryShare.decidesCanary("loop", id, 0.2) ? 1 : 0;
                draws += EventRandom.ofAction("loop", id).nextDouble();
            }
        }
        assertThat((double) canaries / held).isCloseTo(0.2, within(4.0 * 0.4 / Math.sqrt(held)));
        assertThat(draws / held).isCloseTo(0.5, within(4.0 * Math.sqrt(1.0 / 12.0 / held)));
    }
}
