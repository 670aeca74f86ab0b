package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.text.JsonName;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DecisionRuleTest {

    private static DecisionRule mixedLogit(
            OptionalDouble variance, PropensityKind propensities, int draws) {
        return new DecisionRule(PolicyKind.MIXED_LOGIT, 1.0, 0.0, variance, propensities, draws);
    }

    @Test
    void thePlainRuleTakesTheScoresAsTheyAre() {
        assertThat(DecisionRule.PLAIN.kind()).isEqualTo(PolicyKind.SOFTMAX);
        assertThat(DecisionRule.PLAIN.inverseTemperature()).isEqualTo(1.0);
        assertThat(DecisionRule.PLAIN.explorationFloor()).isZero();
        assertThat(DecisionRule.PLAIN.softmaxShare()).isEqualTo(1.0);
        assertThat(DecisionRule.PLAIN.propensityKind()).isEqualTo(PropensityKind.EXACT);
    }

    @Test
    void theScoresDecideWhatTheFloorLeaves() {
        assertThat(DecisionRule.softmax(1.0, 0.25).softmaxShare()).isEqualTo(0.75);
        assertThat(DecisionRule.softmax(1.0, 1.0).softmaxShare()).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1_000_001.0, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesAnInvalidInverseTemperature(double value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DecisionRule.softmax(value, 0.0))
                .withMessage("inverseTemperature must be in [0, 1e6], got " + value);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
    void refusesWhatIsNoFloor(double value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DecisionRule.softmax(1.0, value))
                .withMessage("explorationFloor must be in [0, 1], got " + value);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000_001})
    void refusesTooFewOrTooManyDraws(int draws) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> mixedLogit(OptionalDouble.of(1.0), PropensityKind.ESTIMATED, draws))
                .withMessage("propensityDraws must be in [2, 1000000], got " + draws);
    }

    @Test
    void aSoftmaxHasExactPropensitiesAndNoVariance() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new DecisionRule(
                                        PolicyKind.SOFTMAX,
                                        1.0,
                                        0.0,
                                        OptionalDouble.empty(),
                                        PropensityKind.ESTIMATED,
                                        2))
                .withMessage("propensityKind must be exact with a softmax, got estimated");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new DecisionRule(
                                        PolicyKind.SOFTMAX,
                                        1.0,
                                        0.0,
                                        OptionalDouble.of(0.5),
                                        PropensityKind.EXACT,
                                        2))
                .withMessage("variance must be absent with a softmax, got 0.5");
    }

    @ParameterizedTest
    @EnumSource(
            value = PropensityKind.class,
            names = {"EXACT", "LEARNED"})
    void aMixedLogitHasNoExactPropensities(PropensityKind kind) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mixedLogit(OptionalDouble.of(1.0), kind, 2))
                .withMessage(
                        "propensityKind must be estimated or upperBound with a mixed logit, which"
                                + " has no exact ones, got "
                                + JsonName.of(kind));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.0, -1.0, 1.1e12, Double.NaN})
    void refusesAnInvalidVarianceOfAMixedLogit(double variance) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                mixedLogit(
                                        OptionalDouble.of(variance), PropensityKind.UPPER_BOUND, 2))
                .withMessage("variance must be in (0, 1e12], got " + variance);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mixedLogit(OptionalDouble.empty(), PropensityKind.UPPER_BOUND, 2))
                .withMessage("variance must be given with a mixed logit, got none");
    }
}
