package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.console.Capture;
import io.counterflow.cli.demo.DemoHistory.Generation;
import io.counterflow.cli.demo.DemoHistory.Learning;
import io.counterflow.cli.traffic.SimulatedUsers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DemoScreenTest {

    private static final Learning LEARNING =
            new Learning(
                    List.of(
                            new Generation(1, 2_000, 0.035, null, 0.034),
                            new Generation(5, 3_000, 0.075, 0.058, 0.077)),
                    9,
                    9L,
                    8,
                    "version 5 is better than 1 by at least 0.0213",
                    0.032,
                    0.092,
                    0.0748,
                    List.of(0.015, 0.045, 0.09));

    private static final DemoStatus RUNNING =
            new DemoStatus(
                    Duration.ofSeconds(65),
                    8080,
                    new SimulatedUsers.Counts(12_345, 4_001, 0),
                    11_800,
                    33,
                    0,
                    LEARNING);

    private static final DemoStatus JUST_STARTED =
            new DemoStatus(
                    Duration.ofSeconds(1),
                    8080,
                    new SimulatedUsers.Counts(0, 0, 0),
                    0,
                    0,
                    0,
                    new Learning(
                            List.of(new Generation(1, 0, null, null, 0.034)),
                            1,
                            null,
                            0,
                            "",
                            0.032,
                            0.092,
                            null,
                            List.of()));

    private final Capture terminal = Capture.live();
    private final DemoScreen screen = new DemoScreen(terminal.terminal(), false);

    @Test
    void theLinesShowTheDashboardAndTheRewards() {
        assertThat(String.join("\n", screen.lines(RUNNING)))
                .contains("http://localhost:8080")
                .contains("12,345 visits")
                .contains("11,800 joined")
                .contains("generation 2: version 5 decides, version 9 is evaluated; 8 snapshots")
                .contains("uniform    3.2 %")
                .contains("first policy    3.4 %")
                .contains("now    7.5 %")
                .contains("at least    5.8 %")
                .contains("▂▄█")
                .contains("version 5 is better than 1");
    }

    @Test
    void aLargerRewardHasALongerBar() {
        List<String> lines = screen.lines(RUNNING);
        assertThat(bar(lines, "now")).isGreaterThan(bar(lines, "uniform"));
        assertThat(bar(lines, "best possible")).isGreaterThan(bar(lines, "now"));
    }

    private static long bar(List<String> lines, String label) {
        String line = lines.stream().filter(it -> it.contains(label)).findFirst().orElseThrow();
        return line.chars().filter(c -> c == '█').count();
    }

    @Test
    void everyStatusHasTheSameNumberOfLines() {
        assertThat(screen.lines(JUST_STARTED)).hasSameSizeAs(screen.lines(RUNNING));
    }

    @Test
    void aStatusIsRedrawnInPlaceWithLineWrappingOff() {
        screen.show(RUNNING);
        terminal.pass(Duration.ofMillis(100)); // too early for the next one
        screen.show(RUNNING);
        terminal.pass(Duration.ofSeconds(1));
        screen.show(RUNNING);
        String[] drawn = terminal.err().split("\u001b\\[\\?7l", -1);
        assertThat(drawn).hasSize(3);
        assertThat(drawn[1]).startsWith("\r").endsWith("\u001b[?7h");
        assertThat(drawn[2]).startsWith("\u001b[12A\r").endsWith("\u001b[?7h");
    }

    @Test
    void elsewhereAStatusIsOneLine() {
        Capture file = Capture.plain();
        new DemoScreen(file.terminal(), true).show(RUNNING);
        assertThat(file.err())
                .isEqualTo(DemoScreen.line(RUNNING) + System.lineSeparator())
                .doesNotContain("\u001b");
    }

    @Test
    void unknownValuesAreDashes() {
        assertThat(screen.lines(JUST_STARTED)).contains("          now        -");
        assertThat(DemoScreen.line(JUST_STARTED)).contains("reward -").doesNotContain("null");
    }

    @Test
    void coloursAreUsedOnlyIfWanted() {
        assertThat(String.join("", screen.lines(RUNNING))).doesNotContain("\u001b");
        assertThat(String.join("", new DemoScreen(terminal.terminal(), true).lines(RUNNING)))
                .contains("\u001b[");
    }

    @Test
    void failedCallsAndDeadLettersAreShown() {
        DemoStatus failing =
                new DemoStatus(
                        Duration.ofSeconds(65),
                        8080,
                        new SimulatedUsers.Counts(10, 1, 7),
                        3,
                        0,
                        2,
                        LEARNING);
        assertThat(DemoScreen.line(failing)).endsWith(", 2 dead, 7 calls failed");
    }
}
