package io.counterflow.benchmarks.soak;

import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Users whose event ids are always new, and loops that are created and deleted all the time. */
final class ChangingTraffic implements AutoCloseable {

    private static final int THREADS = 4;
    private static final int LOOPS = 40;
    private static final Duration LIFE_OF_A_LOOP = Duration.ofSeconds(80);
    private static final int NOT_FOUND = 404;
    private static final int ERROR = 400;

    private static final String SPEC =
            "{\"actions\":[\"a\",\"b\",\"c\",\"d\"],\"features\":8,\"rolloutMode\":\"immediate\","
                    + "\"attributionWindow\":\"5s\",\"batchSize\":20,\"bufferCapacity\":500,"
                    + "\"snapshotExamples\":50,\"snapshotRewards\":0}";

    private final URI server;
    private final long pauseNs;
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicLong newest = new AtomicLong(); // number of the newest loop
    private final AtomicLong decisions = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final Thread[] threads = new Thread[THREADS + 1];
    private volatile boolean stopping;

    /**
     * @param rate decisions per second
     */
    ChangingTraffic(URI server, int rate) {
        this.server = server;
        this.pauseNs = TimeUnit.SECONDS.toNanos(THREADS) / rate;
    }

    void start() throws IOException, InterruptedException {
        for (int i = 0; i < LOOPS; i++) {
            create();
        }
        for (int i = 0; i < THREADS; i++) {
            int user = i;
            threads[i] = new Thread(() -> run(() -> decide(user)), "user " + user);
        }
        threads[THREADS] = new Thread(() -> run(this::changeLoops), "loops");
        for (Thread thread : threads) {
            thread.start();
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private void run(Work work) {
        try {
            while (!stopping) {
                work.run();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void changeLoops() throws IOException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(LIFE_OF_A_LOOP.toMillis() / LOOPS);
        long oldest = newest.get() - LOOPS + 1;
        create();
        call("DELETE", path(oldest), "");
    }

    private void create() throws IOException, InterruptedException {
        call("PUT", path(newest.get() + 1), SPEC);
        newest.incrementAndGet();
    }

    private static String path(long loop) {
        return "/v1/loops/loop-" + loop;
    }

    private void decide(int user) throws IOException, InterruptedException {
        long start = System.nanoTime();
        long number = decisions.incrementAndGet();
        String id = "e-%d-%d".formatted(user, number);
        EventRandom random = EventRandom.named(id);
        // Not of the oldest loop, which may be deleted meanwhile.
        String loop = path(newest.get() - random.nextInt(LOOPS - 1));
        StringBuilder context = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            context.append(i == 0 ? "" : ",")
                    .append(String.format(Locale.ROOT, "%.2f", random.nextGaussian()));
        }
        call(
                "POST",
                loop + "/rank",
                "{\"eventId\":\"%s\",\"context\":{\"dense\":[%s]}}".formatted(id, context));
        if (random.nextInt(3) == 0) {
            call("POST", loop + "/events/" + id + "/reward", "{\"value\":1}");
        }
        long left = pauseNs - (System.nanoTime() - start);
        if (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    private void call(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpResponse<Void> response =
                http.send(
                        HttpRequest.newBuilder(server.resolve(path))
                                .timeout(Duration.ofSeconds(30))
                                .header("content-type", "application/json")
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
        if (response.statusCode() >= ERROR && response.statusCode() != NOT_FOUND) {
            refused.incrementAndGet();
        }
    }

    /** Decisions that were asked for. */
    long decisions() {
        return decisions.get();
    }

    /** Loops that were created. */
    long loops() {
        return newest.get();
    }

    /** Requests that got an error, other than 404 for a deleted loop. */
    long refused() {
        return refused.get();
    }

    @Override
    public void close() {
        stopping = true;
        for (Thread thread : threads) {
            if (thread != null) {
                thread.interrupt();
            }
        }
    }
}
