package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TableTest {

    @Test
    void textIsAlignedToTheLeftAndNumbersToTheRight() {
        Table table =
                Table.withColumns("estimator", "value", "n", "note")
                        .row("ips", 0.5, 1_200_000L, "unbiased")
                        .row("truncated ips", 12.25, 7, null);
        assertThat(table.toString().lines())
                .containsExactly(
                        "estimator       value          n  note",
                        "ips            0.5000  1,200,000  unbiased",
                        "truncated ips   12.25          7  -");
    }

    @Test
    void aRowHasACellForEveryColumn() {
        Table table = Table.withColumns("estimator", "value");
        assertThatThrownBy(() -> table.row("ips"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a row must have 2 cells, got 1");
    }

    @Test
    void aTableHasColumns() {
        assertThatThrownBy(Table::withColumns).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.0|0",
                "-0.0|0",
                "1.0|1.000",
                "0.123456|0.1235",
                "-0.00123456|-0.001235",
                "9.99996|10.00",
                "0.99996|1.000",
                "123.456|123.5",
                "1234567.8|1,234,568",
                "0.0000123456|1.235e-05",
                "1e15|1.000e+15",
                "NaN|n/a",
                "Infinity|inf",
                "-Infinity|-inf"
            })
    void fractionsHaveFourSignificantDigits(double value, String text) {
        assertThat(Figures.of(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0.05, 0.05",
        "1, 1",
        "0, 0",
        "250, 250",
        "0.00001, 1e-5",
        "1.5e-7, 1.5e-7",
        "1e15, 1e15",
        "NaN, n/a"
    })
    void settingsHaveNoTrailingZeros(double value, String text) {
        assertThat(Figures.setting(value)).isEqualTo(text);
    }

    @Test
    void settingsDoNotShowRoundingErrors() {
        assertThat(Figures.setting(1.0 - 0.05)).isEqualTo("0.95");
        assertThat(Figures.setting(1.0 - 0.9)).isEqualTo("0.1");
    }

    @Test
    void theUnitOfOneIsSingular() {
        assertThat(Figures.count(1, "example", "examples")).isEqualTo("1 example");
        assertThat(Figures.count(2_000, "example", "examples")).isEqualTo("2,000 examples");
    }

    @ParameterizedTest
    @CsvSource({
        "0.04, 0.0 s",
        "9.94, 9.9 s",
        "9.96, 10 s",
        "59.4, 59 s",
        "59.6, 1 min 00 s",
        "185, 3 min 05 s",
        "3599.6, 1 h 00 min",
        "7620, 2 h 07 min"
    })
    void timesUseTheUnitsThatFit(double seconds, String text) {
        assertThat(Figures.seconds(seconds)).isEqualTo(text);
    }
}
