package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DemoViewTest {

    private static final DemoStatus LEARNING =
            new DemoStatus(
                    Duration.ofSeconds(65),
                    8080,
                    new DemoStatus.Traffic(12_345, 4_001, 0, 11_800, 33, 0),
                    new DemoStatus.Learning(
                            List.of(
                                    new Generation(
                                            1,
                                            2_000,
                                            0.19,
                                            OptionalDouble.empty(),
                                            OptionalDouble.of(0.184)),
                                    new Generation(
                                            5,
                                            3_000,
                                            0.44,
                                            OptionalDouble.of(0.35),
                                            OptionalDouble.of(0.45))),
                            9,
                            OptionalLong.of(9),
                            8,
                            "version 5 is better than 1 by at least 0.0213"),
                    new DemoStatus.Values(0.176, 0.616, 0.441, List.of(0.1, 0.3, 0.6)));

    private static final DemoStatus JUST_STARTED =
            new DemoStatus(
                    Duration.ofSeconds(1),
                    8080,
                    new DemoStatus.Traffic(0, 0, 0, 0, 0, 0),
                    new DemoStatus.Learning(
                            List.of(
                                    new Generation(
                                            1,
                                            0,
                                            Double.NaN,
                                            OptionalDouble.empty(),
                                            OptionalDouble.of(0.184))),
                            1,
                            OptionalLong.empty(),
                            0,
                            ""),
                    new DemoStatus.Values(0.176, 0.616, Double.NaN, List.of()));

    private final DemoView view = new DemoView(false);

    @Test
    void itSaysWhereThePageIsAndHowTheRewardStands() {
        assertThat(String.join("\n", view.lines(LEARNING, 100)))
                .contains("http://localhost:8080")
                .contains("12,345 visits")
                .contains("11,800 joined")
                .contains("generation 2: version 5 decides, version 9 is judged; 8 snapshots")
                .contains("uniform  0.176")
                .contains("first policy  0.184")
                .contains("now  0.441")
                .contains("at least  0.350")
                .contains("▂▄█")
                .contains("version 5 is better than 1");
    }

    @Test
    void aLargerRewardHasALongerBar() {
        List<String> lines = view.lines(LEARNING, 100);
        assertThat(bar(lines, "now")).isGreaterThan(bar(lines, "uniform"));
        assertThat(bar(lines, "best possible")).isGreaterThan(bar(lines, "now"));
    }

    private static long bar(List<String> lines, String label) {
        String line = lines.stream().filter(it -> it.contains(label)).findFirst().orElseThrow();
        return line.chars().filter(c -> c == '█').count();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 24, 40, 80, 300})
    void noLineIsWiderThanTheTerminal(int width) {
        assertThat(view.lines(LEARNING, width)).allMatch(line -> line.length() <= width);
    }

    @Test
    void everyStatusHasAsManyLinesSoThatItCanBeDrawnOver() {
        assertThat(view.lines(JUST_STARTED, 80)).hasSameSizeAs(view.lines(LEARNING, 80));
    }

    @Test
    void whatIsNotKnownYetIsADash() {
        assertThat(view.lines(JUST_STARTED, 80)).contains("          now  -");
        assertThat(view.line(JUST_STARTED)).contains("reward -").doesNotContain("NaN");
    }

    @Test
    void coloursAreUsedOnlyWhereTheyAreWanted() {
        assertThat(String.join("", view.lines(LEARNING, 80))).doesNotContain("\u001b");
        assertThat(String.join("", new DemoView(true).lines(LEARNING, 80))).contains("\u001b[");
    }

    @Test
    void callsThatFailAreNotHidden() {
        DemoStatus failing =
                new DemoStatus(
                        LEARNING.elapsed(),
                        8080,
                        new DemoStatus.Traffic(10, 1, 7, 3, 0, 2),
                        LEARNING.learning(),
                        LEARNING.values());
        assertThat(view.line(failing)).endsWith(", 2 dead, 7 calls failed");
    }

    @Test
    void theWidthOfATerminalIsReadFromWhatSttySays() {
        assertThat(TerminalWidth.parse("24 132\n")).isEqualTo(132);
        assertThat(TerminalWidth.parse("0 0\n")).isEqualTo(80);
        assertThat(TerminalWidth.parse("")).isEqualTo(80);
    }
}
