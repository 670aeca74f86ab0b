package io.counterflow.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that is there or not.
 *
 * @param path where it is
 */
record Program(Path path) {

    /**
     * @param output what it wrote, errors included
     */
    record Result(int exitCode, String output) {}

    /**
     * Finds a program; without it the test is skipped, or fails where it is required.
     *
     * @param required variable that, where it is set, says that it must be there
     * @param help what to do about it
     */
    static Program find(String name, String required, String help) {
        for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
            Path program = Path.of(directory, name);
            if (Files.isExecutable(program)) {
                return new Program(program);
            }
        }
        assertThat(System.getenv(required)).as("no %s: %s", name, help).isNull();
        assumeTrue(false, "no %s: %s".formatted(name, help));
        throw new AssertionError("not reached");
    }

    Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
