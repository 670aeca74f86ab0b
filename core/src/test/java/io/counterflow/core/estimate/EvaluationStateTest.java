package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Numbers;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class EvaluationStateTest {

    private static void addDrawn(PolicyEvaluation evaluation, long seed) {
        EventRandom random = new EventRandom(seed);
        double propensity = 0.01 + 0.99 * random.nextDouble();
        double reward = random.nextDouble();
        if (seed % 3 == 0) {
            evaluation.add(random.nextDouble(), propensity, reward);
        } else {
            evaluation.add(
                    random.nextDouble(),
                    propensity,
                    reward,
                    random.nextDouble(),
                    random.nextDouble());
        }
    }

    @Test
    void aRestartBetweenAnyTwoExamplesChangesNoBit() {
        PolicyEvaluation uninterrupted = new PolicyEvaluation(0.05, 0.1);
        PolicyEvaluation restarted = new PolicyEvaluation(0.05, 0.1);
        for (int i = 0; i < 50; i++) {
            addDrawn(uninterrupted, i);
            restarted = PolicyEvaluation.restore(restarted.state());
            addDrawn(restarted, i);
            assertThat(restarted.state()).isEqualTo(uninterrupted.state());
            assertThat(restarted.result(0.05)).isEqualTo(uninterrupted.result(0.05));
        }
    }

    @Test
    void anInvalidStateIsRefused() {
        EvaluationState state = new PolicyEvaluation(0.05, 0.1).state();
        double[] sums = state.sums().toArray();
        double[] fewer = Arrays.copyOfRange(sums, 1, sums.length);
        assertThatThrownBy(() -> restore(fewer)).hasMessageContaining("must have more than");
        double[] more = Arrays.copyOf(sums, sums.length + 1);
        assertThatThrownBy(() -> restore(more)).hasMessageContaining("sums, got");
        double[] notFinite = sums.clone();
        notFinite[1] = Double.NaN;
        assertThatThrownBy(() -> restore(notFinite))
                .hasMessage("stored sums must be finite, got NaN");
        double[] halfACount = sums.clone();
        halfACount[0] = 0.5;
        assertThatThrownBy(() -> restore(halfACount))
                .hasMessage("a stored count must be a whole number of at least 0, got 0.5");
    }

    private static void restore(double[] sums) {
        PolicyEvaluation.restore(new EvaluationState(0.05, 0.1, Numbers.of(sums)));
    }
}
