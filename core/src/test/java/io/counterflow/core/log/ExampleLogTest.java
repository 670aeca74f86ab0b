package io.counterflow.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExampleLogTest {

    private static LoggedExample example(int i) {
        return new LoggedExample(DenseVector.of(i, 1f), i % 3, 1.0 / (i + 1), i % 2, 7L + i);
    }

    private static ExampleLog logOf(int n) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < n; i++) {
            log.add(example(i));
        }
        return log;
    }

    @Test
    void everyExampleComesBackAsItWasAddedHoweverManyThereAre() {
        ExampleLog log = logOf(100);
        assertThat(log.size()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            LoggedExample expected = example(i);
            assertThat(log.example(i)).isEqualTo(expected);
            assertThat(log.features(i)).isEqualTo(expected.features());
            assertThat(log.action(i)).isEqualTo(expected.action());
            assertThat(log.propensity(i)).isEqualTo(expected.propensity());
            assertThat(log.reward(i)).isEqualTo(expected.reward());
            assertThat(log.policyVersion(i)).isEqualTo(expected.policyVersion());
        }
    }

    @Test
    void denseValuesAreThoseOfTheFeatures() {
        ExampleLog log = new ExampleLog();
        DenseVector first = DenseVector.of(1.0f, 2.0f);
        DenseVector second = DenseVector.of(3.0f);
        for (int i = 0; i < 40; i++) { // columns grow on the way
            log.add(new LoggedExample(first, 0, 0.5, 1.0, 1));
        }
        log.add(new LoggedExample(second, 0, 0.5, 1.0, 1));
        log.add(new LoggedExample(new SparseVector(2, new int[0], new float[0]), 0, 0.5, 1.0, 1));
        assertThat(log.denseValues(39)).isSameAs(first.values());
        assertThat(log.denseValues(40)).isSameAs(second.values());
        assertThat(log.denseValues(41)).as("of a sparse vector").isNull();
    }

    @Test
    void selectsInTheOrderOfThePositionsAndMoreThanOnce() {
        ExampleLog selected = logOf(20).select(new int[] {5, 0, 5});
        assertThat(selected.size()).isEqualTo(3);
        assertThat(selected.example(0)).isEqualTo(example(5));
        assertThat(selected.example(1)).isEqualTo(example(0));
        assertThat(selected.example(2)).isEqualTo(example(5));
        assertThat(logOf(3).select(new int[0]).size()).isZero();
    }

    @Test
    void theNormBoundIsMeasuredOverAllExamples() {
        ExampleLog log = logOf(4);
        assertThat(log.maxNorm()).isEqualTo(Math.sqrt(10.0));
        assertThat(log.features(3).within(log.maxNorm())).isTrue();
        assertThat(new ExampleLog().maxNorm()).isZero();
    }

    private static LoggedExample restricted(int i) {
        return new LoggedExample(
                DenseVector.of(i, 1f),
                AllowedActions.allBut((i + 1) % 3),
                i % 3,
                1.0 / (i + 1),
                i % 2,
                7L + i);
    }

    private static ExampleLog withExclusions(int n) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < n; i++) {
            log.add(i % 2 == 0 ? restricted(i) : example(i));
        }
        return log;
    }

    @Test
    void whatWasAllowedComesBackHoweverManyExamplesThereAre() {
        ExampleLog log = withExclusions(100);
        assertThat(log.hasExclusions()).isTrue();
        for (int i = 0; i < 100; i++) {
            LoggedExample expected = i % 2 == 0 ? restricted(i) : example(i);
            assertThat(log.allowed(i)).isEqualTo(expected.allowed());
            assertThat(log.example(i)).isEqualTo(expected);
        }
    }

    @Test
    void aLogHasExclusionsFromTheFirstThatComes() {
        ExampleLog log = logOf(3);
        assertThat(log.hasExclusions()).isFalse();
        assertThat(log.allowed(2)).isEqualTo(AllowedActions.ALL);
        log.add(restricted(4));
        assertThat(log.hasExclusions()).isTrue();
        assertThat(log.allowed(3)).isEqualTo(AllowedActions.allBut(2));
        assertThat(log.example(3)).isEqualTo(restricted(4));
    }

    @Test
    void selectedExamplesKeepWhatWasAllowed() {
        ExampleLog log = withExclusions(10);
        ExampleLog selected = log.select(new int[] {4, 1});
        assertThat(selected.hasExclusions()).isTrue();
        assertThat(selected.example(0)).isEqualTo(restricted(4));
        assertThat(selected.example(1)).isEqualTo(example(1));
        assertThat(log.select(new int[] {1, 3}).hasExclusions()).isFalse();
    }

    @Test
    void aLogFitsAModelThatHasAllItsActions() {
        assertThatCode(() -> withExclusions(10).requireFit(DenseModel.zeros(3, 2)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> new ExampleLog().requireFit(DenseModel.zeros(3, 2)))
                .hasMessage("the log has no examples");
        assertThatThrownBy(() -> logOf(3).requireFit(DenseModel.zeros(2, 2)))
                .hasMessage("example 2: action must be below 2, got 2");
        assertThatThrownBy(() -> logOf(3).requireFit(DenseModel.zeros(3, 1)))
                .hasMessage("context has 2 features but the model has 1");
        ExampleLog beyond = new ExampleLog();
        beyond.add(
                new LoggedExample(
                        DenseVector.of(1f, 1f), AllowedActions.allBut(2, 5), 0, 0.5, 1.0, 0));
        assertThatThrownBy(() -> beyond.requireFit(DenseModel.zeros(5, 2)))
                .hasMessage("excludedActions must be below 5, the number of actions, got 5");
    }

    @Test
    void refusesAChoiceOfWhatWasNotAllowed() {
        assertThatThrownBy(
                        () ->
                                new LoggedExample(
                                        DenseVector.of(), AllowedActions.allBut(2), 2, 0.5, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the chosen action must be one of those allowed, got 2");
        Features two = ActionFeatures.of(3, new int[3], new int[0], new float[0]);
        assertThatThrownBy(() -> new LoggedExample(two, AllowedActions.allBut(2), 0, 0.5, 0.0, 0))
                .hasMessage("excludedActions must be below 2, the number of actions, got 2");
    }

    @Test
    void anotherPropensityChangesNothingElse() {
        LoggedExample changed = restricted(4).withPropensity(0.125);
        assertThat(changed.propensity()).isEqualTo(0.125);
        assertThat(changed.withPropensity(restricted(4).propensity())).isEqualTo(restricted(4));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.0, -0.1, 1.0000001, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesAnInvalidPropensity(double propensity) {
        assertThatThrownBy(() -> new LoggedExample(DenseVector.of(), 0, propensity, 0.0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("propensity must be in (0, 1], got " + propensity);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
    void refusesAnInvalidReward(double reward) {
        assertThatThrownBy(() -> new LoggedExample(DenseVector.of(), 0, 0.5, reward, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("reward must be in [0, 1], got " + reward);
    }

    @Test
    void refusesAnUnknownAction() {
        Features two = ActionFeatures.of(3, new int[3], new int[0], new float[0]);
        assertThat(new LoggedExample(two, 1, 0.5, 0.0, 0).action()).isEqualTo(1);
        assertThatThrownBy(() -> new LoggedExample(two, 2, 0.5, 0.0, 0))
                .hasMessage("action must be below 2, the number of actions, got 2");
        assertThatThrownBy(() -> new LoggedExample(DenseVector.of(), -1, 0.5, 0.0, 0))
                .hasMessage("action must be at least 0, got -1");
    }
}
