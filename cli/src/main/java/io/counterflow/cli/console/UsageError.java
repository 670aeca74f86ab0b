package io.counterflow.cli.console;

import io.counterflow.schemas.text.Spelling;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with the arguments, what may have been meant, and how the command is used. */
final class UsageError implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
        CommandLine line = wrong.getCommandLine();
        String command = line.getCommandSpec().qualifiedName();
        // No colours: standard error may be a file even where standard output is a terminal.
        Help help = new Help(line.getCommandSpec(), Help.defaultColorScheme(Help.Ansi.OFF));
        PrintWriter err = line.getErr();
        err.println(command + ": " + message(wrong, args));
        if (wrong.getArgSpec() == null || wrong instanceof MissingParameterException) {
            // A single wrong value has said all; the synopsis would only push it off the screen.
            err.print("Usage: " + help.synopsis("Usage: ".length()));
        }
        err.println("Try '" + command + " --help' for more.");
        err.flush();
        return ExitCode.BAD_INPUT;
    }

    private static String message(ParameterException wrong, String[] args) {
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched);
        }
        if (wrong instanceof MissingParameterException) {
            // What is missing may be there with a typing mistake, which explains more.
            Map<String, ?> known = wrong.getCommandLine().getCommandSpec().optionsMap();
            for (String argument : args) {
                String name = argument.replaceFirst("=.*", "");
                if (name.startsWith("--") && name.length() > 2 && !known.containsKey(name)) {
                    return "unknown option " + suggesting(name, known);
                }
            }
        }
        String message = String.valueOf(wrong.getMessage());
        return Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }

    private static String unknown(UnmatchedArgumentException unmatched) {
        CommandLine line = unmatched.getCommandLine();
        String argument = unmatched.getUnmatched().get(0);
        if (unmatched.isUnknownOption()) {
            String name = argument.replaceFirst("=.*", "");
            return "unknown option " + suggesting(name, line.getCommandSpec().optionsMap());
        }
        return line.getSubcommands().isEmpty()
                ? "unexpected argument \"" + argument + '"'
                : "unknown command " + suggesting(argument, line.getSubcommands());
    }

    private static String suggesting(String word, Map<String, ?> known) {
        return Spelling.nearest(word, known.keySet())
                .map(meant -> '"' + word + "\"; did you mean " + meant + "?")
                .orElse('"' + word + '"');
    }
}
