package io.counterflow.cli.console;

import io.counterflow.schemas.text.Spelling;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints what is wrong with the arguments, a suggestion and the usage of the command. */
final class UsageError implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
        CommandLine line = wrong.getCommandLine();
        String command = line.getCommandSpec().qualifiedName();
        // No colours: standard error may be a file although standard output is a terminal.
        Help help = new Help(line.getCommandSpec(), Help.defaultColorScheme(Help.Ansi.OFF));
        PrintWriter err = line.getErr();
        err.println(command + ": " + message(wrong, args));
        if (wrong.getArgSpec() == null || wrong instanceof MissingParameterException) {
            // For a single wrong value the message is enough.
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
            // The missing option may be there with a typo.
            Map<String, ?> known = wrong.getCommandLine().getCommandSpec().optionsMap();
            for (String argument : args) {
                String name = argument.replaceFirst("=.*", "");
                if (name.startsWith("--") && name.length() > 2 && !known.containsKey(name)) {
                    return "unknown option " + suggesting(name, known);
                }
            }
        }
        if (wrong.getArgSpec() instanceof OptionSpec option
                && option.type().isEnum()
                && wrong.getValue() != null) {
            String names =
                    Arrays.stream(option.type().getEnumConstants())
                            .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "));
            return "invalid value for option '%s': must be one of %s, got \"%s\""
                    .formatted(option.longestName(), names, wrong.getValue());
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
        if (line.getParent() == null && argument.equals("experiment")) {
            return "the experiments are not part of a release; run \"bin/counterflow experiment\" in a"
                    + " source checkout";
        }
        return line.getSubcommands().isEmpty()
                ? "unexpected argument \"" + argument + '"'
                : "unknown command \"%s\"%s".formatted(argument, meant(argument, line));
    }

    /** The commands that a word may stand for: the beginning of a name, or a mistyped name. */
    private static String meant(String word, CommandLine line) {
        Set<String> names = new TreeSet<>();
        if (!word.isEmpty()) {
            line.getSubcommands().keySet().stream()
                    .filter(name -> name.startsWith(word))
                    .forEach(names::add);
        }
        names.addAll(Spelling.near(word, line.getSubcommands().keySet()));
        return names.isEmpty() ? "" : "; did you mean " + String.join(" or ", names) + "?";
    }

    private static String suggesting(String word, Map<String, ?> known) {
        return Spelling.nearest(word, known.keySet())
                .map(meant -> '"' + word + "\"; did you mean " + meant + "?")
                .orElse('"' + word + '"');
    }
}
