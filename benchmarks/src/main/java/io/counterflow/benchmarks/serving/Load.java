package io.counterflow.benchmarks.serving;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Connections that send requests of one kind to one server. Each has its own requests. */
final class Load implements AutoCloseable {

    private static final long MAX_NS = TimeUnit.SECONDS.toNanos(60);

    private final int port;
    private final List<byte[]> requests;
    private final ExecutorService threads;
    private final int connections;

    /**
     * @param requests requests that connections send in turn
     */
    Load(int port, List<byte[]> requests, int connections) {
        this.port = port;
        this.requests = List.copyOf(requests);
        this.connections = connections;
        this.threads = Executors.newFixedThreadPool(connections);
    }

    /**
     * Requests per second if every connection sends its next request as soon as it has a response.
     */
    double throughput(double seconds) throws InterruptedException, ExecutionException {
        AtomicLong answered = new AtomicLong();
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        run(
                (connection, index) -> {
                    long count = 0;
                    for (; System.nanoTime() < end; count++) {
                        connection.call(request(index, count));
                    }
                    answered.addAndGet(count);
                });
        return answered.get() / ((System.nanoTime() - start) / 1e9);
    }

    /**
     * Latencies at a fixed rate, in nanoseconds since a request was due. They include the time that
     * a request waits for the previous one.
     */
    Histogram latencies(double rate, double seconds)
            throws InterruptedException, ExecutionException {
        Histogram all = new Histogram(MAX_NS, 3);
        long interval = (long) (connections * 1e9 / rate);
        long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
        long end = start + (long) (seconds * 1e9);
        run(
                (connection, index) -> {
                    Histogram own = new Histogram(MAX_NS, 3);
                    long due = start + interval * index / connections;
                    for (long count = 0; due < end; count++, due += interval) {
                        while (System.nanoTime() < due) {
                            LockSupport.parkNanos(due - System.nanoTime());
                        }
                        connection.call(request(index, count));
                        own.recordValue(Math.min(MAX_NS, System.nanoTime() - due));
                    }
                    synchronized (all) {
                        all.add(own);
                    }
                });
        return all;
    }

    private byte[] request(int index, long count) {
        return requests.get((int) ((index + count) % requests.size()));
    }

    @FunctionalInterface
    private interface Asking {
        void run(HttpConnection connection, int index) throws IOException;
    }

    private void run(Asking asking) throws InterruptedException, ExecutionException {
        List<Future<?>> running = new ArrayList<>();
        for (int c = 0; c < connections; c++) {
            int index = c;
            running.add(
                    threads.submit(
                            () -> {
                                try (HttpConnection connection = new HttpConnection(port)) {
                                    asking.run(connection, index);
                                }
                                return null;
                            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
