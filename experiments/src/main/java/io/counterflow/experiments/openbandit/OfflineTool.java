package io.counterflow.experiments.openbandit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.console.CommandLines;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.evaluate.EvaluateCommand;
import io.counterflow.cli.imports.ImportCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs {@code import} and {@code evaluate} in this process, as people run them. */
final class OfflineTool {

    private OfflineTool() {}

    /** Runs a command and parses its JSON. */
    static JsonNode run(Object... arguments) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Terminal terminal =
                new Terminal(
                        new PrintWriter(out), new PrintWriter(err), false, false, System::nanoTime);
        List<String> words = new ArrayList<>();
        Arrays.stream(arguments).map(Object::toString).forEach(words::add);
        words.add("--json");
        words.add("--quiet");
        int exit =
                CommandLines.of(
                                terminal,
                                List.of(
                                        new CommandGroup(
                                                "Offline",
                                                List.of(
                                                        new ImportCommand(terminal),
                                                        new EvaluateCommand(terminal)))))
                        .execute(words.toArray(String[]::new));
        if (exit != ExitCode.DONE) {
            throw new BadInputException(err.toString().strip());
        }
        return new ObjectMapper().readTree(out.toString());
    }
}
