package io.counterflow.benchmarks.serving;

import io.counterflow.benchmarks.process.ProcessCpu;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * What one server did in one round.
 *
 * @param load what the server did when every connection sent as fast as it could
 * @param latencies latencies at a fixed rate, in nanoseconds
 */
record Measurement(Busy load, Histogram latencies) {

    /**
     * A server under as much load as the connections make.
     *
     * @param serverMicros CPU time of the server's process per request
     * @param brokerMicros CPU time of the broker's process per request
     * @param clientMicros CPU time of this process per request
     * @param recordsPerBatch mean number of records in a batch of the server's topic
     */
    record Busy(
            double perSecond,
            double serverMicros,
            double brokerMicros,
            double clientMicros,
            double recordsPerBatch) {

        static Busy measure(Server server, Load load, double seconds) throws IOException {
            var unused = server.records().added();
            double ofServer = ProcessCpu.seconds(server.handle());
            double ofBroker = ProcessCpu.seconds(server.broker().handle());
            double ofClient = ProcessCpu.seconds();
            Load.Throughput throughput = load.throughput(seconds);
            double micros = 1e6 / throughput.responses();
            return new Busy(
                    throughput.perSecond(),
                    micros * (ProcessCpu.seconds(server.handle()) - ofServer),
                    micros * (ProcessCpu.seconds(server.broker().handle()) - ofBroker),
                    micros * (ProcessCpu.seconds() - ofClient),
                    server.records().added().recordsPerBatch());
        }
    }

    private static final List<Column> COLUMNS =
            List.of(
                    new Column("requests/s", 11, 0, it -> it.load.perSecond),
                    new Column("server µs", 10, 1, it -> it.load.serverMicros),
                    new Column("broker µs", 10, 1, it -> it.load.brokerMicros),
                    new Column("client µs", 10, 1, it -> it.load.clientMicros),
                    new Column("batch", 6, 1, it -> it.load.recordsPerBatch),
                    new Column("p50 ms", 9, 2, it -> it.millis(50)),
                    new Column("p99 ms", 9, 2, it -> it.millis(99)),
                    new Column("p99.9 ms", 9, 2, it -> it.millis(99.9)));

    /** A column of the table. */
    private record Column(
            String title, int width, int digits, ToDoubleFunction<Measurement> value) {

        String format(double number, int decimals) {
            return Double.isNaN(number)
                    ? " ".repeat(width - 1) + "-"
                    : ("%" + width + "." + decimals + "f").formatted(number);
        }
    }

    private double millis(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e6;
    }

    static void printTitles(String first) {
        StringBuilder line = new StringBuilder("%-16s".formatted(first));
        for (Column column : COLUMNS) {
            line.append(("%" + column.width + "s").formatted(column.title));
        }
        System.out.println(line);
    }

    /** Prints the median of each column over the rounds. */
    static void printMedians(String name, List<Measurement> rounds) {
        StringBuilder line = new StringBuilder("%-16s".formatted(name));
        for (Column column : COLUMNS) {
            line.append(
                    column.format(
                            median(rounds.stream().mapToDouble(column.value).toArray()),
                            column.digits));
        }
        System.out.println(line);
    }

    /** Prints the median over the rounds of the ratio of two servers in the same round. */
    static void printRatios(String name, List<Measurement> above, List<Measurement> below) {
        StringBuilder line = new StringBuilder("%-16s".formatted(name));
        for (Column column : COLUMNS) {
            double[] ratios = new double[above.size()];
            for (int r = 0; r < ratios.length; r++) {
                ratios[r] =
                        column.value.applyAsDouble(above.get(r))
                                / column.value.applyAsDouble(below.get(r));
            }
            line.append(column.format(median(ratios), 2));
        }
        System.out.println(line);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
