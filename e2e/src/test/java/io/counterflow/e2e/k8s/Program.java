package io.counterflow.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A program that a test needs and that may be missing.
 *
 * @param path the path to run it at
 */
record Program(Path path) {

    /**
     * @param output standard output and standard error
     */
    record Result(int exitCode, String output) {}

    /**
     * Finds a program on the PATH. Without it, the test is skipped.
     *
     * @param variable environment variable that makes the test fail instead
     * @param help how to get the program
     */
    static Program find(String name, String variable, String help) {
        List<Path> found =
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .map(it -> Path.of(it, name))
                        .filter(Files::isExecutable)
                        .toList();
        require(!found.isEmpty(), variable, help);
        return new Program(found.get(0));
    }

    /** Skips the test, or fails it where the environment variable is set. */
    static void require(boolean found, String variable, String help) {
        if (System.getenv(variable) != null) {
            assertThat(found).as(help).isTrue();
        }
        assumeTrue(found, help);
    }

    Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                Stream.concat(Stream.of(path.toString()), Stream.of(arguments)).toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
