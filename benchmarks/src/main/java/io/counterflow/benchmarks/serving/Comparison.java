package io.counterflow.benchmarks.serving;

import io.counterflow.benchmarks.process.ProcessCpu;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Compares servers that get the same requests. In each round, every server is measured once, in the
 * opposite order of the round before.
 */
final class Comparison {

    private static final double SECONDS = 4;
    private static final double WARM_UP_SECONDS = 2;
    private static final double SETTLE_SECONDS = 0.5; // of new connections
    private static final int WARM_UP_CONNECTIONS = 32;
    private static final int MAX_WARM_UPS = 15;
    private static final int STEADY_WARM_UPS = 3;
    private static final double MAX_CHANGE = 0.1; // of the rate
    private static final double MAX_COMPILER = 0.05; // of one core

    private final List<Server> servers;
    private final List<Pair> pairs;
    private final int rounds;

    /** Names of two servers whose ratio is printed. */
    record Pair(String above, String below) {}

    Comparison(List<Server> servers, List<Pair> pairs, int rounds) {
        this.servers = List.copyOf(servers);
        this.pairs = List.copyOf(pairs);
        this.rounds = rounds;
    }

    /** Sends the bodies to a loop of all servers. */
    void run(String loop, List<byte[]> bodies, List<Integer> connections) throws IOException {
        for (Server server : servers) {
            warmUp(server, loop, bodies);
        }
        for (int count : connections) {
            Map<String, List<Measurement>> measured = measure(loop, bodies, count);
            Measurement.printTitles("%d connections".formatted(count));
            measured.forEach(Measurement::printMedians);
            for (Pair pair : pairs) {
                Measurement.printRatios(
                        pair.above() + "/" + pair.below(),
                        measured.getOrDefault(pair.above(), List.of()),
                        measured.getOrDefault(pair.below(), List.of()));
            }
            System.out.println();
        }
    }

    /** Until the JIT compiler has little left to do, and the rate does not change any more. */
    private static void warmUp(Server server, String loop, List<byte[]> bodies) throws IOException {
        double last = 0;
        int steady = 0;
        int windows = 0;
        try (Load load = server.load(loop, bodies, WARM_UP_CONNECTIONS)) {
            for (; windows < MAX_WARM_UPS && steady < STEADY_WARM_UPS; windows++) {
                double compiler = ProcessCpu.compilerSeconds(server.handle());
                Load.Throughput now = load.throughput(WARM_UP_SECONDS);
                compiler = ProcessCpu.compilerSeconds(server.handle()) - compiler;
                boolean isSteady =
                        compiler < MAX_COMPILER * now.seconds()
                                && Math.abs(now.perSecond() / last - 1) < MAX_CHANGE;
                steady = isSteady ? steady + 1 : 0;
                last = now.perSecond();
            }
        }
        System.out.printf(
                "warm-up of %s: %.0f s, %s%n",
                server.name(),
                windows * WARM_UP_SECONDS,
                steady < STEADY_WARM_UPS ? "not steady yet" : "steady");
    }

    private Map<String, List<Measurement>> measure(
            String loop, List<byte[]> bodies, int connections) throws IOException {
        Map<String, List<Measurement>> measured = new LinkedHashMap<>();
        List<Server> order = new ArrayList<>(servers);
        for (int r = 0; r < rounds; r++) {
            Map<String, Measurement.Busy> busy = new LinkedHashMap<>();
            for (Server server : order) {
                try (Load load = server.load(loop, bodies, connections)) {
                    var unused = load.throughput(SETTLE_SECONDS);
                    busy.put(server.name(), Measurement.Busy.measure(server, load, SECONDS));
                }
            }
            double rate =
                    busy.values().stream().mapToDouble(Measurement.Busy::perSecond).min().orElse(1)
                            / 2;
            for (Server server : order) {
                try (Load load = server.load(loop, bodies, connections)) {
                    var unused = load.latencies(rate, SETTLE_SECONDS);
                    measured.computeIfAbsent(server.name(), name -> new ArrayList<>())
                            .add(
                                    new Measurement(
                                            Objects.requireNonNull(busy.get(server.name())),
                                            load.latencies(rate, SECONDS)));
                }
            }
            Collections.reverse(order);
        }
        return measured;
    }
}
