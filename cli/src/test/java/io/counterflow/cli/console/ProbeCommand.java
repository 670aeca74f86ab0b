package io.counterflow.cli.console;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that runs the code of a test. */
@Command(
        name = "probe",
        description = "Runs the code of a test.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow probe --wait 30s", "  counterflow probe --json"})
public final class ProbeCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(names = "--wait", paramLabel = "DURATION")
    private Duration wait = Duration.ZERO;

    private final Work work;

    public ProbeCommand(Terminal terminal, Work work) {
        this.output = new Output(terminal);
        this.work = work;
    }

    /** The code to run before the report. */
    public interface Work {
        void run(Output output) throws Exception;
    }

    @Override
    public Integer call() throws Exception {
        work.run(output);
        output.print(new Waited(wait));
        return ExitCode.DONE;
    }

    private record Waited(Duration time) implements Report {
        @Override
        public String toText() {
            return "waited " + time.toSeconds() + " s";
        }

        @Override
        public Object toJson() {
            return Map.of("wait", time);
        }
    }
}
