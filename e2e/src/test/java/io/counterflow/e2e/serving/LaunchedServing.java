package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code bin/counterflow serve} in a process of its own, from the tree that is being built. */
final class LaunchedServing implements AutoCloseable {

    private static final Path LAUNCHER =
            Path.of("").toAbsolutePath().resolveSibling("bin").resolve("counterflow");
    private static final Pattern LISTENING =
            Pattern.compile("http://127.0.0.1:(\\d+), health and metrics on port (\\d+)");

    private final Process process;
    private final Path err;

    private LaunchedServing(Process process, Path err) {
        this.process = process;
        this.err = err;
    }

    static LaunchedServing start(Path directory, Path config, Map<String, String> variables)
            throws IOException {
        Path err = directory.resolve("serve.err");
        ProcessBuilder builder =
                new ProcessBuilder(LAUNCHER.toString(), "serve", "--config", config.toString())
                        .directory(directory.toFile())
                        .redirectOutput(directory.resolve("serve.out").toFile())
                        .redirectError(err.toFile());
        builder.environment().put("COUNTERFLOW_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("COUNTERFLOW_SKIP_BUILD", "1");
        builder.environment().put("COUNTERFLOW_JAVA_OPTS", "-Xmx512m");
        builder.environment().putAll(variables);
        return new LaunchedServing(builder.start(), err);
    }

    String err() {
        try {
            return Files.readString(err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The ports of the API and of management, once they are open. */
    int[] ports() {
        RunningServing.await("ports", () -> LISTENING.matcher(err()).find() || !process.isAlive());
        Matcher listening = LISTENING.matcher(err());
        assertThat(listening.find()).as(err()).isTrue();
        return new int[] {
            Integer.parseInt(listening.group(1)), Integer.parseInt(listening.group(2))
        };
    }

    /** Waits for the end, and returns the exit code. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(err()).isTrue();
        return process.exitValue();
    }

    /** Sends the signal that Ctrl-C and service managers send. */
    void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
