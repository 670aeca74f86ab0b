package io.counterflow.e2e.failures;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A run of the {@code counterflow} command to its end. */
final class Command {

    private Command() {}

    /**
     * Runs it, and returns what it prints to standard output.
     *
     * @param name name of the file for its messages
     * @throws IOException if it fails
     */
    static String run(Deployment deployment, String name, String... arguments)
            throws IOException, InterruptedException {
        Path messages = deployment.directory().resolve(name + ".log");
        List<String> command = new ArrayList<>();
        command.add(Deployment.ROOT.resolve("bin/counterflow").toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(deployment.directory().toFile())
                        .redirectError(messages.toFile());
        builder.environment().put("COUNTERFLOW_SKIP_BUILD", "1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(
                    "counterflow " + arguments[0] + ": " + output + Files.readString(messages));
        }
        return output;
    }
}
