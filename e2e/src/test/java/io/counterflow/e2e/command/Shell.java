package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs processes in a directory, with a known environment. */
public final class Shell {

    private static final long LIMIT_SECONDS = 60;

    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private int runs;

    Shell(Path directory) {
        this.directory = directory;
    }

    Shell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** The result of a process. */
    record Ended(int exitCode, String out, String err) {}

    /** A running process. Its streams go to files, so that it never waits for a reader. */
    record Started(Process process, Path out, Path err) {

        Ended await() throws IOException, InterruptedException {
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
            }
            String errors = Files.readString(err);
            assertThat(ended).as("ended within %d s: %s", LIMIT_SECONDS, errors).isTrue();
            return new Ended(process.exitValue(), Files.readString(out), errors);
        }
    }

    Ended run(String... command) throws IOException, InterruptedException {
        return start(command).await();
    }

    Started start(String... command) throws IOException {
        runs++;
        Path out = directory.resolve("out-" + runs);
        Path err = directory.resolve("err-" + runs);
        ProcessBuilder builder =
                new ProcessBuilder(List.of(command))
                        .directory(directory.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        List.of("COUNTERFLOW_JAVA_OPTS", "COUNTERFLOW_DEBUG", "COUNTERFLOW_SKIP_BUILD")
                .forEach(builder.environment()::remove);
        builder.environment().putAll(environment);
        return new Started(builder.start(), out, err);
    }
}
