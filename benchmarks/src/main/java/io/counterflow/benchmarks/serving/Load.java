package io.counterflow.benchmarks.serving;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Connections that send requests of one kind to one server. One thread drives all of them, because
 * a thread for each would take CPU from the server.
 */
final class Load implements AutoCloseable {

    private static final long MAX_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long MAX_SILENCE_MS = TimeUnit.SECONDS.toMillis(30);
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final ByteBuffer[] requests;
    private int sent;
    private int waiting; // requests without a response

    /**
     * @param requests requests that are sent in turn
     */
    Load(int port, List<byte[]> requests, int connections) throws IOException {
        this.requests = requests.stream().map(Load::direct).toArray(ByteBuffer[]::new);
        for (int c = 0; c < connections; c++) {
            this.connections.add(Connection.open(port, selector));
        }
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes);
    }

    /**
     * What one server did in some time.
     *
     * @param responses number of responses
     * @param seconds time from the first request to the last response
     */
    record Throughput(long responses, double seconds) {

        double perSecond() {
            return responses / seconds;
        }
    }

    /** Every connection sends its next request as soon as it has a response. */
    Throughput throughput(double seconds) throws IOException {
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        long[] responses = {0};
        for (Connection connection : connections) {
            send(connection, start);
        }
        while (waiting > 0) {
            boolean more = System.nanoTime() < end;
            select(
                    connection -> {
                        responses[0]++;
                        if (more) {
                            send(connection, start);
                        }
                    });
        }
        return new Throughput(responses[0], (System.nanoTime() - start) / 1e9);
    }

    /**
     * Latencies at a fixed rate, in nanoseconds since a request was due. They include the time that
     * a request waits for a free connection.
     */
    Histogram latencies(double rate, double seconds) throws IOException {
        Histogram latencies = new Histogram(MAX_NS, 3);
        Queue<Connection> free = new ArrayDeque<>(connections);
        double interval = 1e9 / rate;
        long count = (long) (seconds * rate);
        long start = System.nanoTime();
        for (long next = 0; next < count || waiting > 0; ) {
            long due = start + (long) (next * interval);
            if (next < count && !free.isEmpty() && System.nanoTime() >= due) {
                send(free.remove(), due);
                next++;
                continue;
            }
            Consumer<Connection> answered =
                    connection -> {
                        latencies.recordValue(
                                Math.min(MAX_NS, System.nanoTime() - connection.dueNanos()));
                        free.add(connection);
                    };
            if (next == count || free.isEmpty()) {
                select(answered);
            } else if (selector.selectNow(key -> read(key, answered)) == 0) {
                // A selector can wait for milliseconds only, which is longer than the interval.
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return latencies;
    }

    private void send(Connection connection, long due) {
        try {
            connection.send(requests[sent++ % requests.length], due);
            waiting++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void select(Consumer<Connection> answered) throws IOException {
        if (selector.select(key -> read(key, answered), MAX_SILENCE_MS) == 0) {
            throw new IOException(
                    "the server did not answer within %d ms".formatted(MAX_SILENCE_MS));
        }
    }

    private void read(SelectionKey key, Consumer<Connection> answered) {
        Connection connection = (Connection) key.attachment();
        try {
            if (connection.read()) {
                waiting--;
                answered.accept(connection);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.close();
        }
        selector.close();
    }
}
