package io.counterflow.flink.windows;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WindowConfigTest {

    @ParameterizedTest
    @CsvSource({
        "PT1S, PT0S, slide must be whole milliseconds, PT0S",
        "PT-1S, PT1S, size must be whole milliseconds, PT-1S",
        "PT1.0000001S, PT1S, size must be whole milliseconds, PT1.0000001S",
        "P4000D, P40D, size must be whole milliseconds, PT96000H",
        "PT3S, PT2S, size must be 1 to 1000 times the slide 2s, 3s",
        "PT1S, PT2S, size must be 1 to 1000 times the slide 2s, 1s",
        "PT1001S, PT1S, size must be 1 to 1000 times the slide 1s, 16m41s"
    })
    void aSizeThatIsNotAMultipleOfTheSlideIsRefused(
            Duration size, Duration slide, String rule, String got) {
        assertThatThrownBy(() -> new WindowConfig(size, slide))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(rule)
                .hasMessageEndingWith("got " + got);
    }
}
