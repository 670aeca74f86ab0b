package io.counterflow.benchmarks.soak;

import io.counterflow.benchmarks.process.BrokerProcess;
import io.counterflow.benchmarks.process.ChildProcess;
import io.counterflow.benchmarks.process.UntilClosed;
import io.counterflow.core.text.DurationText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs a broker, the job and serving as processes of their own for some time, and checks that what
 * they use stays flat while event ids and loops change all the time.
 */
public final class Soak {

    private static final int SAMPLES = 45;
    private static final int OK = 200;
    private static final Duration MAX_START = Duration.ofMinutes(2);
    private static final Pattern LAG =
            Pattern.compile("(?m)^counterflow_job_lag_records ([0-9.E]+)");
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final double MEGA = 1 << 20;

    private Soak() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Duration duration = DurationText.parse(args.length > 0 ? args[0] : "10m");
        int rate = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        Path directory = Files.createTempDirectory("soak");
        boolean flat;
        try (BrokerProcess broker = BrokerProcess.start(directory)) {
            flat = run(broker, directory, duration, rate);
        }
        System.exit(flat ? 0 : 1);
    }

    private static boolean run(BrokerProcess broker, Path directory, Duration duration, int rate)
            throws IOException, InterruptedException {
        int port = freePort();
        int management = freePort();
        Path config =
                Files.writeString(
                        directory.resolve("counterflow.yaml"),
                        """
                        kafka.bootstrap-servers: %s
                        kafka.event-partitions: 2
                        kafka.partitions: 2
                        storage.directory: %s
                        job.parallelism: 2
                        checkpoint.interval: 2s
                        watermarks.idle-timeout: 0s
                        serving.heartbeat-interval: 1s
                        serving.port: %d
                        serving.management.port: %d
                        """
                                .formatted(
                                        broker.bootstrapServers(),
                                        directory.resolve("storage"),
                                        port,
                                        management));
        Path local = Files.createDirectory(directory.resolve("local"));
        try (ChildProcess serving = start(config, local, List.of("serve"));
                ChildProcess job = start(config, local, List.of("job", "--local"));
                ChangingTraffic traffic =
                        new ChangingTraffic(URI.create("http://127.0.0.1:" + port), rate)) {
            awaitReady(management);
            traffic.start();
            List<WatchedProcess> processes =
                    List.of(
                            new WatchedProcess("serving", serving.handle()),
                            new WatchedProcess("job", job.handle()));
            Series state = new Series("job: RocksDB and other local files", "MB", 16);
            Series stored = new Series("job: checkpoints and snapshots", "MB", 16);
            Series lag = new Series("lag of the job", "records", 10.0 * rate);
            long start = System.nanoTime();
            for (int i = 1; i <= SAMPLES; i++) {
                long at = start + duration.toNanos() * i / SAMPLES;
                TimeUnit.NANOSECONDS.sleep(Math.max(0, at - System.nanoTime()));
                for (WatchedProcess process : processes) {
                    process.sample();
                }
                state.add(megabytes(local));
                stored.add(megabytes(directory.resolve("storage")));
                lag.add(lag(management));
                System.err.printf(
                        "%d/%d: %,d decisions, %,d loops, %d refused requests%n",
                        i, SAMPLES, traffic.decisions(), traffic.loops(), traffic.refused());
            }
            List<Series> all = new ArrayList<>();
            processes.forEach(it -> all.addAll(it.series()));
            all.addAll(List.of(state, stored, lag));
            System.out.printf(
                    "%s, %,d decisions, %,d loops, %d refused requests%n%n",
                    DurationText.format(duration),
                    traffic.decisions(),
                    traffic.loops(),
                    traffic.refused());
            System.out.println(Series.headings());
            all.forEach(it -> System.out.println(it.row()));
            return all.stream().allMatch(Series::isFlat);
        }
    }

    private static ChildProcess start(Path config, Path local, List<String> command)
            throws IOException {
        List<String> arguments = new ArrayList<>(command);
        arguments.addAll(List.of("--config", config.toString()));
        return UntilClosed.start(
                "io.counterflow.cli.Counterflow",
                List.of(
                        "-Xmx1g",
                        "-XX:+UseParallelGC",
                        "-Djava.io.tmpdir=" + local,
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED"),
                System.getProperty("java.class.path"),
                arguments);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void awaitReady(int management) throws IOException, InterruptedException {
        long end = System.nanoTime() + MAX_START.toNanos();
        while (System.nanoTime() < end) {
            try {
                if (get(management, "/readyz").statusCode() == OK) {
                    return;
                }
            } catch (IOException e) {
                // The port is not open yet.
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new IOException("serving is not ready after " + MAX_START);
    }

    private static HttpResponse<String> get(int management, String path)
            throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:%d%s".formatted(management, path)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static double lag(int management) throws IOException, InterruptedException {
        Matcher lag = LAG.matcher(get(management, "/metrics").body());
        return lag.find() ? Double.parseDouble(lag.group(1)) : 0;
    }

    /** The size of all files of a directory. */
    private static double megabytes(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.mapToLong(Soak::size).sum() / MEGA;
        } catch (UncheckedIOException e) { // a file was deleted meanwhile
            return megabytes(directory);
        }
    }

    private static long size(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : 0;
        } catch (IOException e) { // deleted meanwhile
            return 0;
        }
    }
}
