package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.policy.Split;
import org.junit.jupiter.api.Test;

final class WeightLimitsTest {

    private static final double ROUNDING = 1e-4;

    @Test
    void versionsThatHardlyDifferHaveTheLimitsOfEventsOfOneVersion() {
        double[] active = {0.5, 0.3, 0.2};
        double[] candidate = {0.4, 0.4, 0.2};
        WeightLimits limits =
                WeightLimits.of(new Split(1, 2, 0.9), active, candidate, candidate, 3);
        // The logging policy is 0.41, 0.39, 0.2, and the weights of the active version are at most
        // 0.5 / 0.41.
        assertThat(limits.active()).isCloseTo(0.5 / 0.41, within(ROUNDING));
        assertThat(limits.activeOverCandidate()).isEqualTo(1.0);
        assertThat(limits.candidateOverActive()).isEqualTo(1.0);
    }

    @Test
    void versionsThatChooseOtherActionsHaveNearlyTheLimitsOfTheShare() {
        double[] active = {0.98, 0.01, 0.01};
        double[] candidate = {0.01, 0.98, 0.01};
        WeightLimits limits =
                WeightLimits.of(new Split(1, 2, 0.8), active, candidate, candidate, 3);
        // The logging policy is 0.204, 0.786, 0.01.
        assertThat(limits.active()).isCloseTo(0.98 / 0.204, within(ROUNDING));
        assertThat(limits.activeOverCandidate()).isCloseTo(0.97 / 0.204, within(ROUNDING));
        assertThat(limits.candidateOverActive()).isCloseTo(0.97 / 0.786, within(ROUNDING));
        assertThat(limits.active()).isLessThan(WeightLimits.ofShare(0.8).active());
    }

    @Test
    void theEventsOfAnOlderCandidateLimitTheWeightsOfANewerOne() {
        double[] active = {0.5, 0.5, 0.0};
        double[] older = {0.1, 0.9, 0.0};
        double[] newer = {0.0, 1.0, 0.0};
        WeightLimits limits = WeightLimits.of(new Split(1, 2, 0.5), active, older, newer, 3);
        // The logging policy is 0.3, 0.7, 0; the last action was not allowed.
        assertThat(limits.activeOverCandidate()).isCloseTo(0.5 / 0.3, within(ROUNDING));
    }

    /** Otherwise the gate would leave out the examples of some contexts only. */
    @Test
    void extremeSharesHaveTheSameLimitsInEveryContext() {
        double[] same = {0.5, 0.5};
        WeightLimits small = WeightLimits.of(new Split(1, 2, 0.01), same, same, same, 2);
        assertThat(small.candidateOverActive()).isEqualTo(100.0);
        assertThat(small.activeOverCandidate()).isEqualTo(1.0);
        WeightLimits large = WeightLimits.of(new Split(1, 2, 0.99), same, same, same, 2);
        assertThat(large.activeOverCandidate()).isCloseTo(100.0, within(1e-9));
        assertThat(large.candidateOverActive()).isEqualTo(1.0);
    }

    @Test
    void limitsAreAtLeastOne() {
        assertThatThrownBy(() -> new WeightLimits(1.0, 0.5, 1.0))
                .hasMessage("limits of weights must be at least 1, got 1.0, 0.5 and 1.0");
    }
}
