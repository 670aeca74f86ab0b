package io.counterflow.benchmarks.serving;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Sends requests for decisions to serving, and to the same server with a constant response of the
 * same size. Only results of the same round can be compared.
 */
final class ServingLoad {

    private static final int CONNECTIONS = 32;
    private static final int REQUESTS = 256;
    private static final double SECONDS = 4;

    private final int port;
    private final int constantPort;

    private ServingLoad(int port, int constantPort) {
        this.port = port;
        this.constantPort = constantPort;
    }

    /** The results of one server in one round. */
    private record Round(double throughput, Histogram latencies) {}

    public static void main(String[] args)
            throws IOException, InterruptedException, ExecutionException {
        Path directory = Path.of(args[0]);
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        List<String> command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElse("java"),
                                "-Xmx2g",
                                "-cp",
                                System.getProperty("java.class.path"),
                                MeasuredServer.class.getName(),
                                directory.toString()));
        Process server =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            String ports = out.readLine();
            if (ports == null) {
                throw new IOException("the server did not start");
            }
            String[] both = ports.split(" ", -1);
            ServingLoad load =
                    new ServingLoad(Integer.parseInt(both[0]), Integer.parseInt(both[1]));
            for (RequestShape shape : RequestShape.values()) {
                load.measure(shape, rounds);
            }
        } finally {
            server.getOutputStream().close(); // the server exits when its input is closed
            if (!server.waitFor(30, TimeUnit.SECONDS)) {
                server.destroy();
            }
        }
    }

    private void measure(RequestShape shape, int rounds)
            throws IOException, InterruptedException, ExecutionException {
        Random random = new Random(1);
        String path = "/v1/loops/" + shape.loop();
        int size;
        List<byte[]> ranks = new ArrayList<>();
        List<byte[]> constants = new ArrayList<>();
        try (HttpConnection connection = new HttpConnection(port)) {
            connection.call(HttpConnection.request("PUT", path, shape.spec()));
            size =
                    connection.call(
                            HttpConnection.request("POST", path + "/rank", shape.body(random)));
        }
        for (int i = 0; i < REQUESTS; i++) {
            String body = shape.body(random);
            ranks.add(HttpConnection.request("POST", path + "/rank", body));
            constants.add(HttpConnection.request("POST", "/constant/" + size, body));
        }
        System.out.printf(
                "%n%s: requests of %d bytes, answers of %d, %d connections%n",
                shape.words(), ranks.get(0).length, size, CONNECTIONS);
        System.out.printf(
                "%-10s %10s | %8s %8s %8s ms at %s%n",
                "", "per second", "p50", "p99", "p99.9", "half of rank's rate");
        try (Load rank = new Load(port, ranks, CONNECTIONS);
                Load constant = new Load(constantPort, constants, CONNECTIONS)) {
            rank.throughput(2 * SECONDS); // warm-up, until the code is compiled
            constant.throughput(SECONDS);
            double[] throughputs = new double[rounds];
            double[][] ratios = new double[4][rounds];
            for (int r = 0; r < rounds; r++) {
                double constantPerSecond = constant.throughput(SECONDS);
                double rankPerSecond = rank.throughput(SECONDS);
                double rate = rankPerSecond / 2;
                Round ofConstant = new Round(constantPerSecond, constant.latencies(rate, SECONDS));
                Round ofRank = new Round(rankPerSecond, rank.latencies(rate, SECONDS));
                print("constant", ofConstant);
                print("rank", ofRank);
                throughputs[r] = rankPerSecond;
                ratios[0][r] = rankPerSecond / constantPerSecond;
                ratios[1][r] = ratio(ofRank, ofConstant, 50);
                ratios[2][r] = ratio(ofRank, ofConstant, 99);
                ratios[3][r] = ratio(ofRank, ofConstant, 99.9);
            }
            System.out.printf(
                    "%-10s %10.2f | %8.2f %8.2f %8.2f    median of %d rounds%n",
                    "ratio",
                    median(ratios[0]),
                    median(ratios[1]),
                    median(ratios[2]),
                    median(ratios[3]),
                    rounds);
        }
    }

    private static double ratio(Round rank, Round constant, double percentile) {
        return (double) rank.latencies().getValueAtPercentile(percentile)
                / constant.latencies().getValueAtPercentile(percentile);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void print(String name, Round round) {
        System.out.printf(
                "%-10s %10.0f | %8.2f %8.2f %8.2f%n",
                name,
                round.throughput(),
                round.latencies().getValueAtPercentile(50) / 1e6,
                round.latencies().getValueAtPercentile(99) / 1e6,
                round.latencies().getValueAtPercentile(99.9) / 1e6);
    }
}
