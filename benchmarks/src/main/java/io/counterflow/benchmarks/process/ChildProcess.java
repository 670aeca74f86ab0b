package io.counterflow.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A Java process. It exits when its standard input is closed, so it does not outlive this process.
 */
public final class ChildProcess implements AutoCloseable {

    private static final int MAX_STOP_SECONDS = 60;

    private final String name;
    private final Process process;
    private final BufferedReader output;

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts a process with the class path of this one, in which Flink can run.
     *
     * @param heap its maximum heap, such as {@code 1g}
     */
    public static ChildProcess start(Class<?> main, String heap, List<String> args)
            throws IOException {
        List<String> flags = new ArrayList<>(List.of("-Xmx" + heap));
        flags.addAll(List.of("--add-modules", "jdk.incubator.vector"));
        for (String opened : List.of("java.lang", "java.util")) { // Flink needs them on Java 17
            flags.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
        }
        return start(main, flags, System.getProperty("java.class.path"), args);
    }

    /**
     * Starts a process.
     *
     * @param flags flags of its JVM
     */
    public static ChildProcess start(
            Class<?> main, List<String> flags, String classPath, List<String> args)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        // The CPU time of a compiler thread that ends would be lost.
        command.add("-XX:-UseDynamicNumberOfCompilerThreads");
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(args);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        return new ChildProcess(main.getSimpleName(), builder.start());
    }

    /** The next line that the process prints. */
    public String readLine() throws IOException {
        return Objects.requireNonNull(output.readLine(), () -> name + " has ended");
    }

    /** All remaining lines; waits until the process ends. */
    public List<String> readLines() throws IOException {
        return output.lines().toList();
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** Called in the process: waits until the other process closes its input. */
    public static void awaitClose() throws IOException {
        var unused = System.in.readAllBytes();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(MAX_STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
