package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S",
        "3m, PT3M",
        "250ms, PT0.25S",
        "1h30m, PT1H30M",
        "2d, PT48H",
        "1d2h3m4s5ms, PT26H3M4.005S",
        "0s, PT0S",
        "3M, PT3M",
        "PT3M, PT3M",
        "pt1.5s, PT1.5S",
        "P1D, PT24H"
    })
    void readsShortAndIsoForms(String text, Duration duration) {
        assertThat(Ranges.duration(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "30",
                "s",
                "soon",
                "-3m",
                "3m1h",
                "1.5h",
                "3 m",
                "NaN",
                "99999999999999999999s",
                "9223372036854775807d"
            })
    void refusesOtherTextWithExamples(String text) {
        assertThatThrownBy(() -> Ranges.duration(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("must be a duration like 30s, 10m or 1h30m, got \"" + text + '"');
    }

    @Test
    void refusesANegativeDuration() {
        assertThatThrownBy(() -> Ranges.duration("PT-3M"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("must not be negative, got \"PT-3M\"");
    }
}
