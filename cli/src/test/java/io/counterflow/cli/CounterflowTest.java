package io.counterflow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.console.Capture;
import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.console.CommandLines;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.ProbeCommand;
import io.counterflow.cli.console.ResultStream;
import io.counterflow.cli.console.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class CounterflowTest {

    private final StringWriter err = new StringWriter();

    @Test
    void allOutputIsWrittenWhenTheCommandEnds() {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        assertThat(printAndFinish(target, ExitCode.DONE)).isEqualTo(ExitCode.DONE);
        assertThat(target.toString(StandardCharsets.UTF_8)).isEqualTo("result ±");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void anOutOfMemoryErrorIsReportedWithAdvice() {
        Capture capture = Capture.plain();
        var probe =
                new ProbeCommand(
                        capture.terminal(),
                        output -> {
                            throw new OutOfMemoryError("Java heap space");
                        });
        CommandLine line =
                CommandLines.of(
                        capture.terminal(), List.of(new CommandGroup("Probing", List.of(probe))));
        int exit = Counterflow.run(line, new String[] {"probe"}, capture.terminal());
        assertThat(exit).isEqualTo(ExitCode.FAILED);
        assertThat(capture.err())
                .startsWith("counterflow: out of memory: ")
                .contains("COUNTERFLOW_JAVA_OPTS=-Xmx")
                .doesNotContain("\tat ");
    }

    @Test
    void aClosedPipeIsNotAFailure() {
        assertThat(printAndFinish(refusing("Broken pipe"), ExitCode.DONE)).isEqualTo(ExitCode.DONE);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aResultThatCannotBeWrittenIsAFailure() {
        assertThat(printAndFinish(refusing("No space left on device"), ExitCode.DONE))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString())
                .isEqualToIgnoringNewLines(
                        "counterflow: cannot write to standard output: No space left on device");
    }

    @Test
    void anEarlierFailureKeepsItsExitCode() {
        assertThat(printAndFinish(refusing("No space left on device"), ExitCode.BAD_INPUT))
                .isEqualTo(ExitCode.BAD_INPUT);
    }

    private int printAndFinish(OutputStream target, int exitCode) {
        ResultStream results = new ResultStream(target);
        PrintWriter out = new PrintWriter(results, false, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(out, new PrintWriter(err), false, false, () -> 0);
        out.print("result ±");
        return Counterflow.finish(exitCode, results, terminal);
    }

    private static OutputStream refusing(String reason) {
        return new OutputStream() {
            @Override
            public void write(int oneByte) throws IOException {
                throw new IOException(reason);
            }
        };
    }
}
