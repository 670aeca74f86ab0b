package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;

final class LearnerEvidenceTest {

    private static LearnerEvidence start() {
        return new LearnerEvidence(EvidenceState.START);
    }

    @Test
    void theRewardModelGoesForwardUntilLprIsAheadAndTheOtherWayRound() {
        LearnerEvidence evidence = start();
        assertThat(evidence.prefersLpr()).isFalse();
        // n terms of −1.6 and four of the largest weight, 2: 1.6 n > 4 √(1.6² n + 16) from n = 21
        for (int i = 1; i < 21; i++) {
            evidence.add(0.0, 0.8, 0.5, 0.5, 1.0);
            assertThat(evidence.prefersLpr()).as("after %d terms", i).isFalse();
        }
        evidence.add(0.0, 0.8, 0.5, 0.5, 1.0);
        assertThat(evidence.prefersLpr()).isTrue();
        for (int i = 1; i < 21; i++) {
            evidence.add(0.8, 0.0, 0.5, 0.5, 1.0);
            assertThat(evidence.prefersLpr()).as("after %d terms", i).isTrue();
        }
        evidence.add(0.8, 0.0, 0.5, 0.5, 1.0);
        assertThat(evidence.prefersLpr()).isFalse();
    }

    /** Under a uniform log, a greedy policy is right rarely, but then by much. */
    @Test
    void unluckyStreaksOfAGreedyPolicyDoNotDecide() {
        for (int seed = 0; seed < 200; seed++) {
            LearnerEvidence evidence = start();
            EventRandom random = new EventRandom(seed);
            for (int i = 0; i < 2_000; i++) {
                boolean hit = random.nextInt(20) == 0; // both policies earn the same
                evidence.add(hit ? 1.0 : 0.0, 0.05, 0.05, 0.05, 1.0);
                assertThat(evidence.prefersLpr()).as("seed %d, example %d", seed, i).isFalse();
            }
        }
    }

    @Test
    void theNewestRewardsCountMost() {
        LearnerEvidence evidence = start();
        for (int i = 0; i < 20; i++) {
            evidence.add(0.0, 0.8, 0.5, 0.5, 1.0);
        }
        double before = evidence.state().sum();
        for (int i = 0; i < 50_000; i++) {
            evidence.addUnrewarded();
        }
        assertThat(evidence.state().sum() / before).isBetween(0.36, 0.37); // 1/e
    }

    @Test
    void oneWrongPropensityDoesNotDecide() {
        LearnerEvidence evidence = start();
        evidence.add(0.0, 1.0, 0.5, 1e-80, 1.0);
        assertThat(evidence.prefersLpr()).isFalse();
        assertThat(evidence.state().sum()).isEqualTo(-1e4);
    }

    @Test
    void theActivePolicyIsComparedAgainAfterAChange() {
        LearnerEvidence evidence = start();
        assertThat(evidence.isAheadOfActive()).isFalse();
        evidence.add(0.55, 0.55, 0.1, 0.5, 1.0); // 0.9 < ½ √(0.9² + 2²)
        assertThat(evidence.isAheadOfActive()).as("after one lucky term").isFalse();
        evidence.add(0.55, 0.55, 0.1, 0.5, 1.0);
        assertThat(evidence.isAheadOfActive()).isTrue();
        LearnerEvidence restored = new LearnerEvidence(evidence.state());
        assertThat(restored.isAheadOfActive()).isTrue();
        restored.restartOverActive();
        assertThat(restored.isAheadOfActive()).isFalse();
    }
}
