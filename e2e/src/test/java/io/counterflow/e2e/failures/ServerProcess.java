package io.counterflow.e2e.failures;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process of the deployment. If it ends by itself, {@link #restartIfEnded} starts it again, as a
 * service manager would.
 */
final class ServerProcess {

    private final String name;
    private final Path log;
    private final List<String> command;
    private final Map<String, String> variables;
    private @Nullable Process process;
    private boolean mayEnd;
    private int unexpectedEnds;

    /**
     * @param log the file that its output is added to
     * @param variables environment variables in addition to those of this process
     */
    ServerProcess(String name, Path log, List<String> command, Map<String, String> variables) {
        this.name = name;
        this.log = log;
        this.command = command;
        this.variables = variables;
    }

    String name() {
        return name;
    }

    Path log() {
        return log;
    }

    synchronized void start() throws IOException {
        if (process != null) {
            throw new IllegalStateException(name + " runs already");
        }
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(variables);
        process = builder.start();
    }

    /** Starts it again if it has ended, but was not told to. */
    synchronized void restartIfEnded() throws IOException {
        if (process != null && !process.isAlive() && !mayEnd) {
            unexpectedEnds++;
            process = null;
            start();
        }
    }

    /** From now on it is not started again when it ends. */
    synchronized void mayEnd() {
        mayEnd = true;
    }

    /** How often it has ended without being told to. */
    synchronized int unexpectedEnds() {
        return unexpectedEnds;
    }

    synchronized long pid() {
        return running().pid();
    }

    synchronized boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Ends it at once (SIGKILL), and waits until it has ended. */
    synchronized void kill() throws InterruptedException {
        Process killed = process;
        destroy();
        if (killed != null) {
            killed.waitFor();
        }
    }

    /** Ends it at once (SIGKILL). */
    synchronized void destroy() {
        if (process != null) {
            process.destroyForcibly();
            process = null;
        }
    }

    /** Tells it to stop (SIGTERM), and waits until it has ended. */
    synchronized void stop() throws InterruptedException {
        Process stopping = running();
        process = null;
        stopping.destroy();
        if (!stopping.waitFor(60, TimeUnit.SECONDS)) {
            stopping.destroyForcibly().waitFor();
            throw new AssertionError(name + " does not stop within a minute");
        }
    }

    /** Stops its threads, but leaves its connections open (SIGSTOP). */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Continues a paused process. */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        run("kill", "-" + signal, Long.toString(pid()));
    }

    /**
     * Limits the size of the files that it may write, as a full disk does; or removes the limit.
     */
    void limitFileSize(boolean limited) throws IOException, InterruptedException {
        run(
                "prlimit",
                "--pid",
                Long.toString(pid()),
                limited ? "--fsize=1:unlimited" : "--fsize=unlimited:unlimited");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException(name + " does not run");
        }
        return process;
    }
}
