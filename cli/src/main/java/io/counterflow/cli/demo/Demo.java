package io.counterflow.cli.demo;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.streaming.JobCluster;
import io.counterflow.cli.streaming.RunningJob;
import io.counterflow.cli.traffic.SimulatedUsers;
import io.counterflow.cli.traffic.World;
import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.Retries;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.job.StoredState;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The whole loop in this process: a Kafka broker, the streaming job, serving, and simulated users.
 * They stop in the reverse order.
 */
final class Demo implements AutoCloseable {

    /** Limits of each partition, so that a demo can run for days. */
    private static final Map<String, String> SMALL_LOGS =
            Map.of(
                    "log.segment.bytes", Integer.toString(32 << 20),
                    "log.retention.bytes", Integer.toString(256 << 20));

    private static final Duration MAX_START = Duration.ofMinutes(2);
    private static final long POLL_MS = 20;

    /** Largest number of users per second; a slow machine has fewer. */
    private static final double RATE = 500.0;

    private final DemoDirectory directory;
    private final BooleanSupplier stopped;
    private final World world;
    private final DemoHistory history;
    private final Consumer<String> notes;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // the last started part first
    private final long startNs = System.nanoTime();

    private @Nullable SimulatedUsers users;
    private @Nullable LoopWatch watch;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private volatile boolean closing;
    private long snapshotsBefore;
    private int port;

    /**
     * @param stopped whether to stop before everything has started
     * @param notes receives messages about the progress
     */
    Demo(DemoDirectory directory, World world, BooleanSupplier stopped, Consumer<String> notes) {
        this.stopped = stopped;
        this.directory = directory;
        this.world = world;
        this.notes = notes;
        this.history = new DemoHistory(world);
    }

    /**
     * Starts all parts. If this fails, {@link #close} stops those that have started.
     *
     * @param wantedPort port of dashboard and API; 0 for any free port
     * @param seed seed of the users
     */
    void start(int wantedPort, long seed) throws Exception {
        EmbeddedKafka kafka =
                timed(
                        "Kafka",
                        () ->
                                EmbeddedKafka.start(
                                        directory.kafka(), EmbeddedKafka.FREE_PORT, SMALL_LOGS));
        parts.push(kafka);
        JobConfig config = DemoConfig.job(kafka.bootstrapServers(), directory);
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        if (stopped.getAsBoolean()) {
            return;
        }
        timed("Flink and the job", () -> startJob(config, setup));
        watch =
                LoopWatch.start(
                        history,
                        config.kafka(),
                        config.topics(),
                        () -> stopped.getAsBoolean() || failure.get() != null,
                        notes,
                        this::fail);
        parts.push(watch);
        requireRunning();
        snapshotsBefore = history.learning().snapshots();
        if (stopped.getAsBoolean()) {
            return;
        }
        ServingProcess serving =
                timed("serving", () -> startServing(kafka.bootstrapServers(), wantedPort));
        port = serving.port();
        CounterflowClient client =
                new CounterflowClient(
                        ClientSettings.of(URI.create("http://127.0.0.1:" + port))
                                .withRetries(Retries.none()));
        SimulatedUsers started =
                new SimulatedUsers(world, client, directory::takeEventNumber, seed, RATE);
        started.createLoop();
        users = started;
        parts.push(started::stop);
        started.start(this::fail);
    }

    private <T> T timed(String part, Callable<T> start) throws Exception {
        long startNs = System.nanoTime();
        T started = start.call();
        double seconds = (System.nanoTime() - startNs) / 1e9;
        notes.accept("%s started in %s".formatted(part, Figures.seconds(seconds)));
        return started;
    }

    private JobCluster startJob(JobConfig config, JobSetup setup) throws Exception {
        JobCluster cluster = JobCluster.local(config);
        parts.push(cluster);
        Optional<String> state = new StoredState(config.run().checkpoints()).newestReadable();
        RunningJob job = cluster.submit(setup, state);
        String savepoints = config.run().checkpoints().savepointDirectory();
        Thread end = new Thread(() -> awaitEnd(job), "await-job");
        end.setDaemon(true);
        end.start();
        parts.push(() -> notes.accept(job.stop(savepoints)));
        return cluster;
    }

    private void awaitEnd(RunningJob job) {
        try {
            job.awaitEnd();
            if (!closing) {
                fail("the job ended unexpectedly");
            }
        } catch (IllegalStateException e) {
            fail(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Keeps the first reason: later failures are usually its consequences. */
    private void fail(String reason) {
        failure.compareAndSet(null, reason);
    }

    private ServingProcess startServing(String bootstrapServers, int wantedPort)
            throws IOException, InterruptedException {
        PrintStream log =
                new PrintStream(
                        Files.newOutputStream(directory.servingLog()),
                        true,
                        StandardCharsets.UTF_8);
        parts.push(log);
        ServingProcess serving =
                ServingProcess.start(
                        ServingConfig.parse(
                                DemoConfig.serving(bootstrapServers, wantedPort), Map.of()),
                        new ServingLog(log, Clock.systemUTC()),
                        Clock.systemUTC(),
                        history);
        parts.push(serving); // before the wait below, which may fail
        long endNs = System.nanoTime() + MAX_START.toNanos();
        while (!serving.ready()) {
            if (System.nanoTime() > endNs) {
                throw new IllegalStateException("serving was not ready within " + MAX_START);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        return serving;
    }

    int port() {
        return port;
    }

    void requireRunning() {
        String reason = failure.get();
        if (reason != null) {
            throw new IllegalStateException(
                    "%s; see demo.log in %s".formatted(reason, directory.root()));
        }
    }

    DemoStatus status() {
        return new DemoStatus(
                Duration.ofNanos(System.nanoTime() - startNs),
                port,
                users == null ? new SimulatedUsers.Counts(0, 0, 0) : users.counts(),
                watch == null ? 0 : watch.count(Topic.JOURNAL),
                watch == null ? 0 : watch.count(Topic.LATE),
                watch == null ? 0 : watch.count(Topic.DEAD_LETTERS),
                history.learning());
    }

    /** Whether this run has published a snapshot. */
    boolean hasNewSnapshots(DemoStatus status) {
        return status.learning().snapshots() > snapshotsBefore;
    }

    /** Stops the users. Everything else keeps running. */
    void endTraffic() {
        if (users != null) {
            users.stop();
        }
    }

    @Override
    public void close() {
        closing = true;
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) { // stop the other parts
                notes.accept("stopping failed: " + e.getMessage());
            }
        }
    }
}
