package io.counterflow.cli.demo;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.streaming.JobCluster;
import io.counterflow.cli.streaming.RunningJob;
import io.counterflow.cli.traffic.RewardPlan;
import io.counterflow.cli.traffic.ServingClient;
import io.counterflow.cli.traffic.SimulatedUsers;
import io.counterflow.cli.traffic.World;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.job.StoredState;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The whole loop in this process, every part of it real: broker, streaming job, serving, and
 * simulated users who call it. Stopped in the order users, serving, job, broker.
 */
public final class Demo implements AutoCloseable {

    /** What the broker keeps of each partition, so that a demo may run for days. */
    private static final Map<String, String> SMALL_LOGS =
            Map.of(
                    "log.segment.bytes", Integer.toString(32 << 20),
                    "log.retention.bytes", Integer.toString(256 << 20));

    private static final Duration MAX_START = Duration.ofMinutes(2);
    private static final long POLL_MS = 20;

    private final DemoDirectory directory;
    private final BooleanSupplier stopped;
    private final World world;
    private final DemoHistory history;
    private final DemoNotes notes;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // the last one started is first
    private final long startNs = System.nanoTime();

    private @Nullable SimulatedUsers users;
    private @Nullable LoopWatch watch;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private volatile boolean closing;
    private long snapshotsBefore;
    private int port;

    private Demo(
            DemoDirectory directory, World world, BooleanSupplier stopped, Consumer<String> tell) {
        this.stopped = stopped;
        this.directory = directory;
        this.world = world;
        this.notes = new DemoNotes(tell);
        double firstValue = world.valueOf(world.spec().policyOf(world.spec().startingModel()));
        this.history =
                new DemoHistory(
                        world.loop(),
                        RewardPlan.COUNTED * world.best(),
                        RewardPlan.COUNTED * world.uniform(),
                        world.spec().startingVersion(),
                        RewardPlan.COUNTED * firstValue);
    }

    /**
     * Starts all parts and returns when users have begun to come.
     *
     * @param port where page and API listen; 0 for any that is free
     * @param perSecond how many users come, at most
     * @param seed of the users
     * @param stopped whether somebody wishes to stop before all has started
     * @param tell takes what is going on, in words
     */
    public static Demo start(
            DemoDirectory directory,
            World world,
            int port,
            double perSecond,
            long seed,
            BooleanSupplier stopped,
            Consumer<String> tell)
            throws Exception {
        Demo demo = new Demo(directory, world, stopped, tell);
        try {
            demo.open(port, perSecond, seed);
            return demo;
        } catch (Exception e) {
            demo.close();
            throw e;
        }
    }

    private void open(int wantedPort, double perSecond, long seed) throws Exception {
        EmbeddedKafka kafka =
                notes.timed(
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
        notes.timed("Flink and the job", () -> startJob(config, setup));
        watch =
                LoopWatch.start(
                        world, history, config.kafka(), config.topics(), stopped, this::fail);
        parts.push(watch);
        snapshotsBefore = history.snapshots();
        if (stopped.getAsBoolean()) {
            return;
        }
        ServingProcess serving =
                notes.timed("serving", () -> startServing(kafka.bootstrapServers(), wantedPort));
        port = serving.port();
        ServingClient client = new ServingClient(port, world.loop());
        client.putSpec(new LoopSpecJson(JsonLimits.defaults()).write(world.spec()));
        SimulatedUsers coming =
                new SimulatedUsers(world, client, directory::takeEventNumber, seed, perSecond);
        users = coming;
        parts.push(coming::stop);
        coming.start(this::fail);
    }

    private JobCluster startJob(JobConfig config, JobSetup setup) throws Exception {
        JobCluster cluster = JobCluster.local(config);
        parts.push(cluster);
        Optional<String> state = new StoredState(config.run().checkpoints()).newest();
        RunningJob job = cluster.submit(setup, state);
        String savepoints = config.run().checkpoints().savepointDirectory();
        Thread end = new Thread(() -> awaitEnd(job), "await-job");
        end.setDaemon(true);
        end.start();
        parts.push(() -> notes.tell(job.stop(savepoints)));
        return cluster;
    }

    private void awaitEnd(RunningJob job) {
        try {
            job.awaitEnd();
            if (!closing) {
                fail("the job has ended by itself");
            }
        } catch (IllegalStateException e) {
            fail(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The first reason is told; what comes after it mostly comes of it. */
    private void fail(String reason) {
        failure.compareAndSet(null, reason);
    }

    private ServingProcess startServing(String bootstrapServers, int wantedPort)
            throws IOException, InterruptedException {
        PrintStream log =
                new PrintStream(
                        Files.newOutputStream(
                                directory.servingLog(),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING),
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
        parts.push(serving); // before it is waited for: whatever ends that must stop it
        long endNs = System.nanoTime() + MAX_START.toNanos();
        while (!serving.ready()) {
            if (System.nanoTime() > endNs) {
                throw new IllegalStateException("serving was not ready within " + MAX_START);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        return serving;
    }

    /** Where page and API listen. */
    public int port() {
        return port;
    }

    /** Why it cannot go on; empty while it can. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure.get());
    }

    /** How it stands now. */
    public DemoStatus status() {
        return DemoStatus.of(
                Duration.ofNanos(System.nanoTime() - startNs),
                port,
                users == null ? new SimulatedUsers.Counts(0, 0, 0) : users.counts(),
                watch,
                history);
    }

    /** Snapshots that were published since all that an earlier run left was read. */
    long newSnapshots() {
        return history.snapshots() - snapshotsBefore;
    }

    /** No more users come; all else goes on. */
    public void endTraffic() {
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
            } catch (Exception e) { // the others must be stopped nevertheless
                notes.tell("stopping failed: " + e.getMessage());
            }
        }
    }
}
