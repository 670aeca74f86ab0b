package io.counterflow.core.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.numeric.EventRandom;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "0s, 0",
        "0ms, 0",
        "250ms, 250",
        "30s, 30000",
        "90s, 90000",
        "10m, 600000",
        "1h30m, 5400000",
        "2d, 172800000",
        "1d2h3m4s5ms, 93784005",
        "1m5ms, 60005",
        "007s, 7000",
        "36h, 129600000"
    })
    void partsAreAddedUp(String text, long millis) {
        assertThat(DurationText.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({"PT30S, 30s", "PT10M, 10m", "P2DT1H, 2d1h", "PT0.25S, 250ms", "pt1h, 1h"})
    void isoIsReadAndWrittenInTheUsualWay(String iso, String written) {
        assertThat(DurationText.format(DurationText.parse(iso))).isEqualTo(written);
        assertThat(DurationText.parse(written)).isEqualTo(DurationText.parse(iso));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ms",
        "999, 999ms",
        "1000, 1s",
        "60000, 1m",
        "90000, 1m30s",
        "3600000, 1h",
        "86400000, 1d",
        "93784005, 1d2h3m4s5ms",
        "31536000000000, 365000d"
    })
    void aDurationIsWrittenWithoutPartsThatAreZero(long millis, String text) {
        assertThat(DurationText.format(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @Test
    void whatIsWrittenIsReadAsTheSameDuration() {
        EventRandom random = new EventRandom(1);
        for (int i = 0; i < 10_000; i++) {
            // Of all sizes: from none to 45 random bits of milliseconds, beyond 365,000 days.
            long millis = random.nextLong() >>> (19 + random.nextInt(45));
            Duration drawn = Duration.ofMillis(millis);
            String text = DurationText.format(drawn);
            assertThat(DurationText.parse(text)).as(text).isEqualTo(drawn);
            assertThat(DurationText.parse(drawn.toString())).as(text).isEqualTo(drawn);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "s",
                "5 s",
                " 5s",
                "5S",
                "5s3m",
                "5s5s",
                "-5s",
                "+5s",
                "1.5h",
                "5us",
                "P",
                "ten",
                "٣s",
                "9223372036854775808s",
                "106751991167301d",
                "9223372036854775807m"
            })
    void otherTextsAreRefusedWithExamplesOfTheRightForm(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse(text))
                .withMessage("must be a duration like 30s, 10m or 1h30m, got \"" + text + "\"");
    }

    @Test
    void onlyTheHeadOfALongTextIsQuoted() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse("x".repeat(41)))
                .withMessageEndingWith("got \"" + "x".repeat(40) + "\"");
    }
}
