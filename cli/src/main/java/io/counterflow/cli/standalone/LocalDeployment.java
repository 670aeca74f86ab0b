package io.counterflow.cli.standalone;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.streaming.JobCluster;
import io.counterflow.cli.streaming.RunningJob;
import io.counterflow.cli.streaming.StateLock;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.job.StoredState;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.stats.Truth;
import java.io.IOException;
import java.io.PrintStream;
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
 * A Kafka broker, the streaming job and serving in this process. They are started in this order and
 * stop in the reverse order.
 */
public final class LocalDeployment implements AutoCloseable {

    private static final Duration MAX_START = Duration.ofMinutes(2);
    private static final long POLL_MS = 20;

    private final DataDirectory directory;
    private final LocalConfig config;
    private final BooleanSupplier stopped;
    private final Consumer<String> notes;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // the last started part first
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private volatile boolean closing;
    private boolean started;

    /**
     * @param stopped whether to stop before everything has started
     * @param notes receives messages about the progress
     */
    public LocalDeployment(
            DataDirectory directory,
            LocalConfig config,
            BooleanSupplier stopped,
            Consumer<String> notes) {
        this.directory = directory;
        this.config = config;
        this.stopped = stopped;
        this.notes = notes;
    }

    /**
     * Starts the broker.
     *
     * @param port its port, or {@link EmbeddedKafka#FREE_PORT}
     * @param more further settings of the broker, by name
     * @return its address
     */
    public String startBroker(int port, Map<String, String> more) throws Exception {
        EmbeddedKafka kafka =
                timed("Kafka", () -> EmbeddedKafka.start(directory.kafka(), port, more));
        parts.push(kafka);
        return kafka.bootstrapServers();
    }

    /** Starts the job, from its newest state. */
    public void startJob(String bootstrapServers) throws Exception {
        JobConfig job = config.job(bootstrapServers);
        JobSetup setup = new JobSetup(job, RunMode.LIVE);
        setup.ensureTopics();
        timed("Flink and the job", () -> startJob(job, setup));
    }

    private JobCluster startJob(JobConfig config, JobSetup setup) throws Exception {
        parts.push(StateLock.take(config));
        JobCluster cluster = JobCluster.local(config);
        parts.push(cluster);
        Optional<String> state = new StoredState(config.run().checkpoints()).newestReadable();
        RunningJob job = cluster.submit(setup, state);
        String savepoints = config.run().checkpoints().savepointDirectory();
        Thread end = new Thread(() -> awaitEnd(job), "await-job");
        end.setDaemon(true);
        end.start();
        parts.push(
                () -> {
                    String how = job.stop(savepoints);
                    if (started) { // otherwise there is nothing worth a savepoint
                        notes.accept(how);
                    }
                });
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

    /** Starts serving, and waits until it is ready or this start is stopped. */
    public ServingProcess startServing(String bootstrapServers, Truth truth) throws Exception {
        ServingConfig serving = config.serving(bootstrapServers);
        return timed("serving", () -> startServing(serving, truth));
    }

    private ServingProcess startServing(ServingConfig config, Truth truth)
            throws IOException, InterruptedException {
        PrintStream log =
                new PrintStream(
                        Files.newOutputStream(directory.servingLog()),
                        true,
                        StandardCharsets.UTF_8);
        parts.push(log);
        Clock clock = Clock.systemUTC();
        ServingProcess serving =
                ServingProcess.start(config, new ServingLog(log, clock), clock, truth);
        parts.push(serving); // before the wait below, which may fail
        var unused =
                serving.failure().thenAccept(reason -> fail(String.valueOf(reason.getMessage())));
        long endNs = System.nanoTime() + MAX_START.toNanos();
        while (!serving.ready() && !stopped.getAsBoolean()) {
            requireRunning();
            if (System.nanoTime() > endNs) {
                throw new IllegalStateException("serving was not ready within " + MAX_START);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        started = serving.ready();
        return serving;
    }

    private <T> T timed(String part, Callable<T> start) throws Exception {
        long startNs = System.nanoTime();
        T started = start.call();
        if (!stopped.getAsBoolean()) {
            double seconds = (System.nanoTime() - startNs) / 1e9;
            notes.accept("%s started in %s".formatted(part, Figures.seconds(seconds)));
        }
        return started;
    }

    /** Keeps the first reason: later failures are usually its consequences. */
    public void fail(String reason) {
        failure.compareAndSet(null, reason);
    }

    public boolean hasFailed() {
        return failure.get() != null;
    }

    /**
     * Checks that no part has failed.
     *
     * @throws IllegalStateException with the reason if one has
     */
    public void requireRunning() {
        String reason = failure.get();
        if (reason != null) {
            throw new IllegalStateException(
                    "%s; see %s in %s"
                            .formatted(reason, directory.log().getFileName(), directory.root()));
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
