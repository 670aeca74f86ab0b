package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code counterflow broker} in a process of its own, which can be paused. */
final class PausedBroker implements AutoCloseable {

    private final Process process;
    private final int port;

    private PausedBroker(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static PausedBroker start(Path directory) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path out = directory.resolve("broker.out");
        Process process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-Xmx512m",
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        "io.counterflow.cli.Counterflow",
                                        "broker",
                                        "--port",
                                        Integer.toString(port),
                                        "--directory",
                                        directory.resolve("k").toString()))
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        PausedBroker broker = new PausedBroker(process, port);
        RunningServing.await(
                "the broker", () -> !process.isAlive() || read(out).contains("127.0.0.1:" + port));
        assertThat(process.isAlive()).as(read(out)).isTrue();
        return broker;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** Stops its threads; its connections stay open. */
    void pause() throws Exception {
        signal("-STOP");
    }

    void resume() throws Exception {
        signal("-CONT");
    }

    private void signal(String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the broker does not stop", e);
        }
    }
}
