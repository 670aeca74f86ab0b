package io.counterflow.e2e.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A program that a test needs and that may be missing.
 *
 * @param path the path to run it at
 */
public record Program(Path path) {

    /**
     * The end of a program.
     *
     * @param output standard output and standard error
     */
    public record Result(int exitCode, String output) {}

    /**
     * Finds a program on the PATH. Without it, the test is skipped.
     *
     * @param variable environment variable that makes the test fail instead
     * @param help how to get the program
     */
    public static Program find(String name, String variable, String help) {
        List<Path> found =
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .map(it -> Path.of(it, name))
                        .filter(Files::isExecutable)
                        .toList();
        require(!found.isEmpty(), variable, help);
        return new Program(found.get(0));
    }

    /** Skips the test, or fails it where the environment variable is set. */
    public static void require(boolean found, String variable, String help) {
        if (System.getenv(variable) != null) {
            assertThat(found).as(help).isTrue();
        }
        assumeTrue(found, help);
    }

    /** Runs it to its end. */
    public Result run(String... arguments) throws IOException, InterruptedException {
        return run(Map.of(), arguments);
    }

    /**
     * Runs it to its end.
     *
     * @param environment variables in addition to those of this process
     */
    public Result run(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command =
                Stream.concat(Stream.of(path.toString()), Stream.of(arguments)).toList();
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
