package io.counterflow.experiments.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutChange.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class GateScenarioTest {

    private static final int EVENTS = 9_000;

    @ParameterizedTest
    @EnumSource(GateScenario.class)
    void aRestartFromStoredStateChangesNothing(GateScenario scenario) {
        for (boolean wrong : new boolean[] {true, false}) {
            GateStream plain = scenario.stream(3);
            GateStream restarted = scenario.stream(3);
            plain.setRestarts(0.0);
            restarted.setRestarts(0.01);
            int decidedAt = scenario.run(plain, wrong, EVENTS, 3);
            assertThat(scenario.run(restarted, wrong, EVENTS, 3)).isEqualTo(decidedAt);
            assertThat(restarted.changes()).isEqualTo(plain.changes());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = GateScenario.class,
            names = {"WRONG", "ESTIMATED_FOR_A_WHILE"})
    void theGateClosesAndOpensAgain(GateScenario scenario) {
        GateStream stream = scenario.stream(1);
        scenario.run(stream, true, 25_000, 1);
        List<Kind> kinds = stream.changes().stream().map(RolloutChange::kind).toList();
        assertThat(kinds).contains(Kind.GATE_CLOSED, Kind.GATE_OPENED);
        assertThat(kinds.lastIndexOf(Kind.GATE_OPENED))
                .isGreaterThan(kinds.lastIndexOf(Kind.GATE_CLOSED));
    }

    @Test
    void newerCandidatesContinueTheComparison() {
        assertThat(GateScenario.NEWER.run(false, 100_000, 1)).isPositive();
        assertThat(GateScenario.NEWER.run(true, 5_000, 1)).isNegative();
    }

    @Test
    void anEqualModelHasTheValueOfTheStartAndOtherProbabilities() {
        GateWorld world = new GateWorld(0.5, 5);
        for (boolean even : new boolean[] {true, false}) {
            Policy equal = Policy.softmax(world.equalModel(4.0, even));
            assertThat(world.value(equal)).isCloseTo(world.startValue(), within(1e-6));
            assertThat(world.equalModel(4.0, even)).isNotEqualTo(world.start());
        }
    }

    /** The quantiles of the binomial distribution at 0.99. */
    @Test
    void theAllowedNumberOfErrorsIsABinomialQuantile() {
        assertThat(GateErrors.allowed(1, 0.005)).isZero();
        assertThat(GateErrors.allowed(1, 0.05)).isEqualTo(1);
        assertThat(GateErrors.allowed(200, 0.05)).isEqualTo(18);
        assertThat(GateErrors.allowed(1_000, 0.05)).isEqualTo(67);
    }

    @Test
    void aLoopThatLearnsItsCandidatesGetsBetter() {
        GateLearning learned = GateLearning.of(0.5, 2, 40_000);
        assertThat(learned.promotions()).isPositive();
        assertThat(learned.end()).isBetween(learned.start() + 0.05, learned.best());
    }
}
