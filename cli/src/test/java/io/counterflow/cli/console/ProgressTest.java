package io.counterflow.cli.console;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class ProgressTest {

    private static final String DRAW_OVER = "\r\u001b[K";

    @Test
    void aLineShowsPercentageRateAndRemainingTime() {
        Capture capture = Capture.plain();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 10_000);
        capture.pass(ofSeconds(3));
        progress.advance(4_200);
        assertThat(capture.err())
                .isEqualToIgnoringNewLines(
                        "training: 42 %, 4,200 of 10,000 examples, 1,400/s, 4.1 s left");
        assertThat(capture.out()).isEmpty();
    }

    @Test
    void shortWorkIsSilent() {
        Capture capture = Capture.plain();
        try (Progress progress = new Progress(capture.terminal(), "training", "examples", 100)) {
            capture.pass(ofMillis(1_999));
            progress.advance(100);
        }
        assertThat(capture.err()).isEmpty();
    }

    @Test
    void aLineIsPrintedEveryFiveSeconds() {
        Capture capture = Capture.plain();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 1_000);
        for (int tenth = 0; tenth < 130; tenth++) {
            capture.pass(ofMillis(100));
            progress.advance(1);
        }
        // after 2, 7 and 12 of the 13 seconds
        assertThat(capture.err().lines()).hasSize(3);
        assertThat(capture.err().lines().skip(2))
                .containsExactly("training: 12 %, 120 of 1,000 examples, 10.00/s, 1 min 28 s left");
    }

    @Test
    void longWorkEndsWithALineAboutTheTotal() {
        Capture capture = Capture.plain();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 1_000);
        capture.pass(ofSeconds(75));
        progress.advance(1_000);
        progress.close();
        progress.close();
        assertThat(capture.err().lines().skip(1))
                .containsExactly("training: 1,000 examples in 1 min 15 s");
    }

    @Test
    void theLastLineOfInterruptedWorkShowsTheActualCount() {
        Capture capture = Capture.plain();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 1_000);
        capture.pass(ofSeconds(30));
        progress.advance(300);
        progress.close();
        assertThat(capture.err().lines().skip(1))
                .containsExactly("training: 300 of 1,000 examples in 30 s");
    }

    @Test
    void onATerminalOneLineIsRedrawn() {
        Capture capture = Capture.live();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 100);
        capture.pass(ofMillis(250));
        progress.advance(25);
        capture.pass(ofMillis(100)); // too soon for another look
        progress.advance(25);
        capture.pass(ofMillis(150));
        progress.advance(25);
        progress.close();
        assertThat(capture.err())
                .isEqualTo(
                        DRAW_OVER
                                + "training: 25 %, 25 of 100 examples, 100/s, 0.8 s left"
                                + DRAW_OVER
                                + "training: 75 %, 75 of 100 examples, 150/s, 0.2 s left"
                                + DRAW_OVER
                                + "training: 75 of 100 examples in 0.5 s"
                                + System.lineSeparator());
    }

    @Test
    void thePercentageIsAtMostOneHundred() {
        Capture capture = Capture.plain();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 10);
        capture.pass(ofSeconds(4));
        progress.advance(20);
        assertThat(capture.err()).contains("100 %", "0.0 s left");
    }

    @Test
    void anEmptyTotalHasNoPercentage() {
        Capture capture = Capture.plain();
        Progress progress = new Progress(capture.terminal(), "training", "examples", 0);
        capture.pass(ofSeconds(4));
        progress.advance(0);
        assertThat(capture.err()).isEqualToIgnoringNewLines("training: 0 examples, 0/s");
    }

    @Test
    void quietTurnsProgressOff() {
        Capture capture = Capture.plain();
        ProbeCommand.Work longWork =
                output -> {
                    try (Progress progress = output.progress("training", "examples", 100)) {
                        capture.pass(ofSeconds(60));
                        progress.advance(50);
                    }
                };
        capture.run(longWork, "probe", "--quiet");
        assertThat(capture.err()).isEmpty();
        capture.run(longWork, "probe");
        assertThat(capture.err()).contains("training: 50 %");
        assertThat(capture.out()).doesNotContain("training");
    }

    @Test
    void aNegativeTotalIsRefused() {
        assertThatThrownBy(() -> new Progress(null, "training", "examples", -2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("total must be at least 0, got -2");
    }
}
