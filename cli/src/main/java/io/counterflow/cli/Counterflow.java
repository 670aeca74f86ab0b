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

    /** Runs one of the commands, and exits. */
    public static void start(Function<Terminal, List<CommandGroup>> commands, String[] args) {
        Locale.setDefault(Locale.ROOT); // results and keys have the same characters everywhere
        // Not System.out: it forgets why a write failed, and its encoding depends on the locale.
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

    /** Runs a command; what it throws has become an exit code and a message. */
    static int run(CommandLine line, String[] args, Terminal terminal) {
        try {
            return line.execute(args);
        } catch (OutOfMemoryError e) {
            terminal.err()
                    .printf(
                            "counterflow: out of memory: the heap may grow to %,d MB; allow more, such"
                                    + " as with COUNTERFLOW_JAVA_OPTS=-Xmx8g, or use a smaller log%n",
                            Runtime.getRuntime().maxMemory() >> 20);
            terminal.err().flush();
            return ExitCode.FAILED;
        }
    }

    /** Flushes what was printed; results that could not be written turn success into failure. */
    static int finish(int exitCode, ResultStream results, Terminal terminal) {
        terminal.out().flush();
        IOException failure = results.failure();
        if (failure == null || results.readerHasGone()) {
            return exitCode; // as in "counterflow ... | head": the reader has what it wanted
        }
        terminal.err()
                .println("counterflow: cannot write to standard output: " + failure.getMessage());
        terminal.err().flush();
        return exitCode == ExitCode.DONE ? ExitCode.FAILED : exitCode;
    }
}
