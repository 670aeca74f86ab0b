package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.SharedKafka;
import io.netty.util.internal.PlatformDependent;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many generated requests that are invalid or go to the limits, on raw connections. The server must
 * refuse them as it says, keep its memory, and serve other callers meanwhile.
 *
 * <p>Another number of requests: {@code -Dcounterflow.hostileRequests=1000000}. Another seed:
 * {@code -Dcounterflow.hostileSeed=7}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class HostileTrafficIT {

    private static final int REQUESTS = Integer.getInteger("counterflow.hostileRequests", 100_000);
    private static final long SEED = Long.getLong("counterflow.hostileSeed", 20_261_118L);
    private static final int ROUNDS = 10;
    private static final int CLIENTS = 32;
    private static final int BATCH = 25;
    private static final String RANK = "/v1/loops/h-dense/rank";
    private static final String PROBE = "{\"eventId\":\"probe\",\"context\":{\"dense\":[1,1]}}";
    private static final Pattern STATUS = Pattern.compile("^HTTP/1\\.[01] (\\d{3})");
    private static final long MEGABYTE = 1L << 20;

    private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS + 1);
    private RunningServing serving;

    @BeforeEach
    void start(SharedKafka kafka) throws Exception {
        serving =
                RunningServing.start(
                        kafka,
                        """
                        serving.name: hostile
                        serving.personalizer-loop: h-hashed
                        serving.body-timeout: 5s
                        """);
        String dense = "{\"actions\":[\"a\",\"b\"],\"features\":2%s}";
        create("h-dense", dense.formatted(""));
        create("h-hashed", "{\"bits\":18}");
        create(
                "h-mixed",
                dense.formatted(
                        ",\"policy\":\"mixedLogit\",\"variance\":0.1,"
                                + "\"propensityKind\":\"estimated\""));
    }

    private void create(String loop, String spec) throws Exception {
        assertThat(serving.put("/v1/loops/" + loop, spec).statusCode()).isEqualTo(201);
    }

    @AfterEach
    void stop() {
        clients.shutdownNow();
        serving.close();
    }

    /** What one client does in a round. */
    @FunctionalInterface
    private interface Client {
        void run(HostileRequests source, int requests) throws IOException;
    }

    /**
     * Hostile and harmless rounds alternate, so that other work on the machine meets both, and the
     * medians of their rounds are compared, so that single pauses do not count. The bound is wide:
     * it is far from the effect of hostile requests that are only refused, and far below that of a
     * request that holds an event loop, which delays others by its whole time.
     */
    @Test
    void otherCallersAreServedWhileHostileRequestsAreRefused() throws Exception {
        String before = decision();
        round(-1, this::behave); // compilers and caches
        round(-2, this::attack);
        List<Double> harmless = new ArrayList<>();
        List<Double> hostile = new ArrayList<>();
        long heap = 0;
        long direct = 0;
        for (int i = 0; i < ROUNDS; i++) {
            if (i % 2 == 0) { // as many requests as in a hostile round
                harmless.add(round(2 * i, this::behave));
            }
            hostile.add(round(2 * i + 1, this::attack));
            if (i == ROUNDS / 2 - 1) {
                heap = settled(HostileTrafficIT::usedHeap);
                direct = settled(HostileTrafficIT::usedDirect);
            }
        }
        assertThat(settled(HostileTrafficIT::usedHeap))
                .as("heap after %d and after %d hostile requests", REQUESTS / 2, REQUESTS)
                .isLessThan(heap + 48 * MEGABYTE);
        assertThat(settled(HostileTrafficIT::usedDirect))
                .as("direct memory")
                .isLessThan(direct + 48 * MEGABYTE);
        System.out.printf(
                "hostile requests: %s; 99th percentiles beside harmless ones %s ms, beside hostile"
                        + " ones %s ms; heap %d MB%n",
                new TreeMap<>(statuses), harmless, hostile, heap / MEGABYTE);
        assertThat(median(hostile))
                .as("milliseconds, beside harmless requests %s", harmless)
                .isLessThan(5 * median(harmless) + 100);
        assertThat(statuses).containsKeys(200, 400, 404, 405, 413, 431);
        requireUnharmed(before);
    }

    private String decision() throws Exception {
        return serving.post(RANK, PROBE).body();
    }

    private void requireUnharmed(String before) throws Exception {
        assertThat(decision()).isEqualTo(before);
        assertThat(serving.manage("/livez").statusCode()).isEqualTo(200);
        assertThat(serving.manage("/readyz").body()).contains("\"ready\":true", "\"defects\":[]");
        assertThat(serving.log()).doesNotContain("request-failed", "OutOfMemory");
        RunningServing.await(
                "all connections to be closed",
                () ->
                        serving.metrics().contains("\ncounterflow_http_connections 1.0")
                                || serving.metrics()
                                        .contains("\ncounterflow_http_connections 0.0"));
    }

    /** One round of all clients beside a caller; returns the caller's 99th percentile in ms. */
    private double round(int round, Client client) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            long seed = SEED + 1_000L * round + i;
            running.add(clients.submit(named(seed, client)));
        }
        List<Long> nanos = new ArrayList<>();
        try (KeptConnection caller = new KeptConnection(serving.process().port())) {
            while (!running.stream().allMatch(Future::isDone)) {
                long start = System.nanoTime();
                caller.post(RANK, PROBE);
                nanos.add(System.nanoTime() - start);
            }
        }
        for (Future<?> one : running) {
            one.get(); // throws what failed
        }
        long[] sorted = nanos.stream().mapToLong(it -> it).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[(int) (0.99 * (sorted.length - 1))] / 1e6;
    }

    private static Callable<Object> named(long seed, Client client) {
        return () -> {
            try {
                client.run(new HostileRequests(seed), REQUESTS / ROUNDS / CLIENTS);
                return true;
            } catch (IOException | AssertionError e) {
                throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
            }
        };
    }

    private void behave(HostileRequests source, int requests) throws IOException {
        try (PipelinedConnection connection = new PipelinedConnection(serving.process().port())) {
            for (int sent = 0; sent < requests; sent += BATCH) {
                ByteArrayOutputStream batch = new ByteArrayOutputStream();
                for (int i = 0; i < BATCH; i++) {
                    batch.writeBytes(source.harmless());
                }
                connection.send(batch.toByteArray());
                for (int i = 0; i < BATCH; i++) {
                    assertThat(connection.answer(false).status()).isIn(200, 202);
                }
            }
        }
    }

    private void attack(HostileRequests source, int requests) throws IOException {
        for (int sent = 0; sent < requests; ) {
            try (PipelinedConnection connection =
                    new PipelinedConnection(serving.process().port())) {
                for (int batches = 0; batches < 8 && sent < requests; batches++) {
                    sent += BATCH;
                    if (!takesBatch(connection, source)) {
                        break;
                    }
                }
            }
            for (int i = 0; i < 10; i++) {
                sent++;
                sendBroken(source.broken());
            }
        }
    }

    /** Sends requests at once and reads all answers; false if the connection ends with one. */
    private boolean takesBatch(PipelinedConnection connection, HostileRequests source)
            throws IOException {
        List<byte[]> requests = new ArrayList<>();
        ByteArrayOutputStream batch = new ByteArrayOutputStream();
        for (int i = 0; i < BATCH; i++) {
            byte[] request = source.framed();
            requests.add(request);
            batch.writeBytes(request);
        }
        try {
            connection.send(batch.toByteArray());
        } catch (SocketException e) { // an answer has closed it
            return false;
        }
        for (byte[] request : requests) {
            PipelinedConnection.Answer answer;
            try {
                answer =
                        connection.answer(
                                new String(request, 0, 4, StandardCharsets.US_ASCII)
                                        .equals("HEAD"));
            } catch (EOFException | SocketException e) {
                throw new AssertionError("no answer to " + shown(request), e);
            }
            count(answer.status(), request);
            if (answer.closes() || answer.status() == 431 || answer.status() == 414) {
                return false;
            }
        }
        return true;
    }

    private void sendBroken(byte[] bytes) throws IOException {
        try (PipelinedConnection connection = new PipelinedConnection(serving.process().port())) {
            try {
                connection.send(bytes);
                connection.end();
            } catch (SocketException e) { // refused before all was sent
                return;
            }
            if (!new String(bytes, StandardCharsets.ISO_8859_1).contains("/stream ")) {
                Matcher status = STATUS.matcher(connection.start());
                if (status.find()) {
                    count(Integer.parseInt(status.group(1)), bytes);
                }
            }
        }
    }

    /** Overload is documented, and an unknown version of HTTP is not implemented. */
    private void count(int status, byte[] request) {
        statuses.merge(status, 1, Integer::sum);
        if (status >= 500 && status != 503) {
            boolean version = shown(request).matches("(?s).* HTTP/(0\\.9|9\\.9|2).*");
            assertThat(status == 501 && version).as("%d to %s", status, shown(request)).isTrue();
        }
    }

    private static String shown(byte[] request) {
        return new String(request, 0, Math.min(1_500, request.length), StandardCharsets.UTF_8);
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(it -> it).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    /** The least of some measurements after a collection, because other threads allocate. */
    private static long settled(LongSupplier used) {
        long[] measured = new long[5];
        for (int i = 0; i < measured.length; i++) {
            System.gc();
            measured[i] = used.getAsLong();
        }
        return Arrays.stream(measured).min().orElseThrow();
    }

    private static long usedHeap() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long usedDirect() {
        return Math.max(0, PlatformDependent.usedDirectMemory())
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }
}
