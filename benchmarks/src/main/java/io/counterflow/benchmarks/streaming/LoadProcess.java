package io.counterflow.benchmarks.streaming;

import io.counterflow.benchmarks.process.ChildProcess;
import io.counterflow.flink.config.JobConfig;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes a backlog in a process of its own, prints a line, and sends heartbeats until it is
 * stopped.
 */
final class LoadProcess implements AutoCloseable {

    private static final long HEARTBEAT_MS = 1_000;

    private final ChildProcess process;

    private LoadProcess(ChildProcess process) {
        this.process = process;
    }

    /** Starts to write. */
    static LoadProcess start(JobConfig config, Traffic traffic, int decisions) throws IOException {
        return new LoadProcess(
                ChildProcess.start(
                        LoadProcess.class,
                        "512m",
                        List.of(
                                config.kafka().bootstrapServers(),
                                config.topics().prefix(),
                                traffic.name(),
                                Integer.toString(decisions))));
    }

    /** Waits until the backlog is written. */
    void awaitWritten() throws IOException {
        String unused = process.readLine();
    }

    @Override
    public void close() {
        process.close();
    }

    public static void main(String[] args) throws Exception {
        try (Backlog backlog = new Backlog(args[0], args[1], Traffic.parse(args[2]))) {
            Instant end = backlog.write(Integer.parseInt(args[3]));
            System.out.println(end);
            AtomicBoolean closed = new AtomicBoolean();
            Thread heartbeats =
                    new Thread(
                            () -> {
                                Instant time = end;
                                while (!closed.get()) {
                                    time = time.plusMillis(HEARTBEAT_MS);
                                    backlog.heartbeat(time);
                                    sleep();
                                }
                            },
                            "heartbeats");
            heartbeats.start();
            ChildProcess.awaitClose();
            closed.set(true);
            heartbeats.join();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(HEARTBEAT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
