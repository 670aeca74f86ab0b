package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.OfflineCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandLinesTest {

    private final Capture capture = Capture.plain();

    @Test
    void aResultGoesOnlyToStandardOutput() {
        assertThat(capture.run("probe", "--wait", "3m")).isEqualTo(ExitCode.DONE);
        assertThat(capture.out()).isEqualToIgnoringNewLines("waited 180 s");
        assertThat(capture.err()).isEmpty();
    }

    @Test
    void jsonIsOneObjectOnOneLine() {
        assertThat(capture.run("probe", "--json", "--wait", "3m")).isEqualTo(ExitCode.DONE);
        assertThat(capture.out()).isEqualToIgnoringNewLines("{\"wait\":\"PT3M\"}");
    }

    @Test
    void theHelpShowsCommandsByGroupAndTheirFirstExample() {
        assertThat(capture.run("--help")).isEqualTo(ExitCode.DONE);
        assertThat(capture.out())
                .containsSubsequence(
                        "Usage: counterflow",
                        "COMMAND",
                        "Probing:",
                        "  probe",
                        "Runs the code of a test.",
                        "Examples:",
                        "  counterflow probe --wait 30s")
                .doesNotContain("counterflow probe --json");
        assertThat(capture.err()).isEmpty();
    }

    @Test
    void theHelpOfACommandShowsItsOptionsAndAllItsExamples() {
        assertThat(capture.run("probe", "--help")).isEqualTo(ExitCode.DONE);
        assertThat(capture.out())
                .contains("Usage: counterflow probe", "--json", "--quiet", "--verbose")
                .contains("Examples:", "counterflow probe --wait 30s", "counterflow probe --json");
    }

    @Test
    void theVersionIsThatOfTheBuild() {
        assertThat(capture.run("--version")).isEqualTo(ExitCode.DONE);
        assertThat(capture.out()).matches("counterflow \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
    }

    @Test
    void withoutACommandTheHelpGoesToStandardErrorAndItFails() {
        assertThat(capture.run()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("Usage: counterflow", "Probing:");
        assertThat(capture.out()).isEmpty();
    }

    @Test
    void theExperimentsAreNamedInTheHelpAndNeedASourceCheckout() {
        assertThat(capture.run("--help")).isEqualTo(ExitCode.DONE);
        assertThat(capture.out()).contains("\"counterflow experiment\"");
        assertThat(capture.run("experiment", "table1", "--data", "x"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .startsWith("counterflow: the experiments are not part of a release; run");
    }

    @Test
    void anUnknownCommandIsNamedWithASuggestion() {
        assertThat(capture.run("porbe")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .startsWith("counterflow: unknown command \"porbe\"; did you mean probe?")
                .contains("Usage: counterflow", "Try 'counterflow --help'")
                .doesNotContain("at io.counterflow");
        assertThat(capture.out()).isEmpty();
    }

    @Test
    void theCommandsThatAWordMayStandForAreNamed() {
        assertThat(run("sav"))
                .startsWith("counterflow: unknown command \"sav\"; did you mean savepoint?");
        assertThat(run("tra")).contains("did you mean traffic or train?");
        assertThat(run("server")).contains("\"server\"; did you mean serve?");
        assertThat(run("")).startsWith("counterflow: unknown command \"\"").doesNotContain("mean");
        assertThat(run("savepoint", "lits"))
                .startsWith("counterflow savepoint: unknown command \"lits\"; did you mean list?");
        assertThat(run("help", "sevre")).contains("unknown command \"sevre\"; did you mean serve?");
    }

    private static String run(String... args) {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run((Object[]) args)).isEqualTo(ExitCode.BAD_INPUT);
        return commands.err();
    }

    @Test
    void helpShowsWhatTheOptionHelpShows() {
        assertThat(output("help")).isEqualTo(output("--help"));
        assertThat(output("help", "train")).isEqualTo(output("train", "--help"));
        assertThat(output("help", "savepoint", "list"))
                .isEqualTo(output("savepoint", "list", "--help"));
    }

    private static String output(String... args) {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run((Object[]) args)).isEqualTo(ExitCode.DONE);
        return commands.out();
    }

    @Test
    void anUnknownOptionIsNamedWithASuggestion() {
        assertThat(capture.run("probe", "--wiat=3m")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .startsWith("counterflow probe: unknown option \"--wiat\"; did you mean --wait?")
                .contains("Usage: counterflow probe", "Try 'counterflow probe --help'");
    }

    @Test
    void anUnexpectedArgumentIsNamed() {
        assertThat(capture.run("probe", "leftover")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("unexpected argument \"leftover\"");
    }

    @Test
    void aBadValueIsRefusedWithItsRule() {
        assertThat(capture.run("probe", "--wait", "soon")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .startsWith("counterflow probe: invalid value for option '--wait': must be a dur")
                .contains("got \"soon\"", "Try 'counterflow probe --help'")
                .doesNotContain("Usage:"); // the message has said all
    }

    @Test
    void aMistypedRequiredOptionIsReportedAsUnknown() {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("train", "--log", "a.jsonl", "--objectve=poem", "--out", "x"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err())
                .startsWith(
                        "counterflow train: unknown option \"--objectve\"; did you mean"
                                + " --objective?");
    }

    @Test
    void badInputIsReportedWithItsMessageOnly() {
        int code =
                capture.run(
                        output -> {
                            throw new BadInputException("log.jsonl, line 7: no propensity");
                        },
                        "probe");
        assertThat(code).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .isEqualToIgnoringNewLines("counterflow probe: log.jsonl, line 7: no propensity");
    }

    @Test
    void anIllegalArgumentBecomesBadInputWithItsSource() {
        assertThatThrownBy(
                        () ->
                                BadInputException.ifRefused(
                                        "--tau",
                                        () -> {
                                            throw new IllegalArgumentException("must be above 0");
                                        }))
                .isInstanceOf(BadInputException.class)
                .hasMessage("--tau: must be above 0");
        assertThat(BadInputException.ifRefused("--tau", () -> 0.5)).isEqualTo(0.5);
    }

    @Test
    void aMissingFileIsBadInput() {
        int code =
                capture.run(
                        output -> {
                            throw new UncheckedIOException(new NoSuchFileException("log.jsonl"));
                        },
                        "probe");
        assertThat(code).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err())
                .isEqualToIgnoringNewLines(
                        "counterflow probe: cannot use log.jsonl: no such file or directory");
    }

    @Test
    void anUnreadableFileIsBadInput() {
        int code =
                capture.run(
                        output -> {
                            throw new AccessDeniedException("secret.jsonl");
                        },
                        "probe");
        assertThat(code).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("cannot use secret.jsonl: permission denied");
    }

    @Test
    void aFailureIsReportedWithoutStackTraceAndSaysHowToSeeIt() {
        assertThat(capture.run(CommandLinesTest::fail, "probe")).isEqualTo(ExitCode.FAILED);
        assertThat(capture.err())
                .startsWith("counterflow probe: failed: IOException: the broker is gone")
                .contains("--verbose", "COUNTERFLOW_DEBUG=1")
                .doesNotContain("at io.counterflow");
        assertThat(capture.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-v", "--verbose"})
    void verbosePrintsTheStackTrace(String option) {
        assertThat(capture.run(CommandLinesTest::fail, "probe", option)).isEqualTo(ExitCode.FAILED);
        assertThat(capture.err()).contains("the broker is gone", "at io.counterflow.cli");
    }

    @Test
    void debugPrintsTheStackTraceWithoutAnOption() {
        Capture debugging = Capture.debugging();
        assertThat(debugging.run(CommandLinesTest::fail, "probe")).isEqualTo(ExitCode.FAILED);
        assertThat(debugging.err()).contains("at io.counterflow.cli");
    }

    @Test
    void quietSuppressesNotesButNotWarnings() {
        ProbeCommand.Work speaks =
                output -> {
                    output.note("read 3 files");
                    output.warn("skipped 2 lines");
                };
        capture.run(speaks, "probe", "--quiet");
        assertThat(capture.err()).isEqualToIgnoringNewLines("skipped 2 lines");

        Capture loud = Capture.plain();
        loud.run(speaks, "probe");
        assertThat(loud.err()).contains("read 3 files", "skipped 2 lines");
        assertThat(loud.out()).doesNotContain("read", "skipped");
    }

    @Test
    void aFileNameMayStartWithAnAtSign() {
        assertThat(capture.run("probe", "@2026")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(capture.err()).contains("unexpected argument \"@2026\"");
    }

    @Test
    void aGroupHasATitleAndCommands() {
        assertThatThrownBy(() -> new CommandGroup("Empty", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("commands of \"Empty\"");
        var probe = new ProbeCommand(capture.terminal(), output -> {});
        assertThatThrownBy(() -> new CommandGroup(" ", List.of(probe)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("title");
    }

    private static void fail(Output output) throws IOException {
        throw new IOException("the broker is gone");
    }
}
