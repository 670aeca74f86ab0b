package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

final class RangesTest {

    private static final Map<String, ITypeConverter<? extends Number>> RANGES =
            Map.of(
                    "floor", new Ranges.PropensityFloor(),
                    "failure", new Ranges.FailureProbability(),
                    "percentile", new Ranges.Percentile(),
                    "positive", new Ranges.Positive(),
                    "aboveOne", new Ranges.AboveOne(),
                    "notNegative", new Ranges.NotNegative(),
                    "count", new Ranges.Count(),
                    "folds", new Ranges.Folds());

    private static ITypeConverter<? extends Number> range(String name) {
        return Objects.requireNonNull(RANGES.get(name));
    }

    @ParameterizedTest
    @CsvSource({
        "floor, 1",
        "floor, 1e-300",
        "failure, 0.05",
        "percentile, 0",
        "percentile, 100",
        "positive, 1e-9",
        "aboveOne, 1.5",
        "aboveOne, 1e6",
        "notNegative, 0",
        "count, 1",
        "folds, 0",
        "folds, 2"
    })
    void acceptsValuesInTheRange(String name, String text) throws Exception {
        assertThat(range(name).convert(text).doubleValue()).isEqualTo(Double.parseDouble(text));
    }

    @ParameterizedTest
    @CsvSource({
        "floor, 0, '(0, 1]'",
        "floor, 1.01, '(0, 1]'",
        "floor, NaN, '(0, 1]'",
        "failure, 0, '(0, 1)'",
        "failure, 1, '(0, 1)'",
        "percentile, -1, '[0, 100]'",
        "percentile, 101, '[0, 100]'",
        "positive, 0, above 0",
        "positive, Infinity, finite",
        "aboveOne, 1, '(1, 1e6]'",
        "aboveOne, NaN, '(1, 1e6]'",
        "aboveOne, 1e7, '(1, 1e6]'",
        "notNegative, -1, at least 0",
        "notNegative, NaN, finite",
        "count, 0, at least 1",
        "folds, 1, 0 or at least 2",
        "folds, -2, 0 or at least 2"
    })
    void refusesOtherValuesWithTheRuleAndTheValue(String name, String text, String rule) {
        assertThatThrownBy(() -> range(name).convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining(rule)
                .hasMessageEndingWith(", got " + text);
    }

    @ParameterizedTest
    @CsvSource({"floor, abc, a number", "count, 1.5, a whole number", "count, 9999999999, whole"})
    void refusesTextThatIsNotANumber(String name, String text, String rule) {
        assertThatThrownBy(() -> range(name).convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("must be ")
                .hasMessageContaining(rule)
                .hasMessageEndingWith("got \"" + text + '"');
    }
}
