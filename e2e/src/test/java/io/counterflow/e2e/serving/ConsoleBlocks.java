package io.counterflow.e2e.serving;

import java.util.ArrayList;
import java.util.List;

/** The blocks of a page that show commands and their output. */
final class ConsoleBlocks {

    private static final String BEGIN = "```console";
    private static final String END = "```";
    private static final String PROMPT = "$ ";
    private static final String CONTINUED = "> ";

    private ConsoleBlocks() {}

    /** Runs a command of the section with this title, and returns its output. */
    @FunctionalInterface
    interface Typing {
        String type(String section, String command) throws Exception;
    }

    /** The page with the output that the commands print now. */
    static String typed(String page, Typing typing) throws Exception {
        List<String> written = new ArrayList<>();
        String section = "";
        boolean inside = false;
        StringBuilder command = new StringBuilder();
        for (String line : page.lines().toList()) {
            if (inside && (line.equals(END) || line.startsWith(PROMPT))) {
                run(section, command, typing, written);
            }
            if (!inside) {
                section = line.startsWith("## ") ? line.substring(3) : section;
                inside = line.equals(BEGIN);
                written.add(line);
            } else if (line.equals(END)) {
                inside = false;
                written.add(line);
            } else if (line.startsWith(PROMPT)) {
                command.append(line.substring(PROMPT.length()));
                written.add(line);
            } else if (line.startsWith(CONTINUED)) {
                command.append('\n').append(line.substring(CONTINUED.length()));
                written.add(line);
            }
        }
        return String.join("\n", written) + "\n";
    }

    private static void run(
            String section, StringBuilder command, Typing typing, List<String> written)
            throws Exception {
        if (!command.isEmpty()) {
            String printed = typing.type(section, command.toString());
            command.setLength(0);
            if (!printed.isEmpty()) {
                written.addAll(printed.lines().toList());
            }
        }
    }
}
