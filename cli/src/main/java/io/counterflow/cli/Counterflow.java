package io.counterflow.cli;

import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.console.CommandLines;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.ResultStream;
import io.counterflow.cli.console.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import picocli.CommandLine;

/** Starts the {@code counterflow} command. */
public final class Counterflow {

    private Counterflow() {}

    public static void main(String[] args) {
        start(Commands::of, args);
    }

    public static void start(Function<Terminal, List<CommandGroup>> commands, String[] args) {
        Locale.setDefault(Locale.ROOT); // the same output on every machine
        // System.out hides write errors, and its encoding depends on the locale.
        ResultStream results = new ResultStream(new FileOutputStream(FileDescriptor.out));
        Terminal terminal =
                new Terminal(
                        new PrintWriter(results, false, StandardCharsets.UTF_8),
                        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                        Boolean.getBoolean("counterflow.liveProgress"),
                        "1".equals(System.getenv("COUNTERFLOW_DEBUG")),
                        System::nanoTime);
        int exitCode = run(CommandLines.of(terminal, commands.apply(terminal)), args, terminal);
        System.exit(finish(exitCode, results, terminal));
    }

    /** Runs a command. Exceptions become a message and an exit code. */
    static int run(CommandLine line, String[] args, Terminal terminal) {
        try {
            return line.execute(args);
        } catch (OutOfMemoryError e) {
            terminal.err()
                    .printf(
                            "counterflow: out of memory: the heap is limited to %,d MB; set a higher"
                                    + " limit, such as COUNTERFLOW_JAVA_OPTS=-Xmx8g, or use a smaller"
                                    + " log%n",
                            Runtime.getRuntime().maxMemory() >> 20);
            terminal.err().flush();
            return ExitCode.FAILED;
        }
    }

    /** Flushes the output. Fails if the results could not be written. */
    static int finish(int exitCode, ResultStream results, Terminal terminal) {
        terminal.out().flush();
        IOException failure = results.failure();
        if (failure == null || results.readerHasGone()) {
            return exitCode; // as in "counterflow ... | head"
        }
        terminal.err()
                .println("counterflow: cannot write to standard output: " + failure.getMessage());
        terminal.err().flush();
        return exitCode == ExitCode.DONE ? ExitCode.FAILED : exitCode;
    }
}
