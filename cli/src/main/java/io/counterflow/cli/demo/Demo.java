package io.counterflow.cli.demo;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.standalone.LocalConfig;
import io.counterflow.cli.standalone.LocalDeployment;
import io.counterflow.cli.traffic.SimulatedUsers;
import io.counterflow.cli.traffic.World;
import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.Retries;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.config.Options;
import io.counterflow.schemas.record.UnusedKindRecord;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Broker, job and serving in this process, with simulated users of one loop. Other loops are
 * learned as well.
 */
final class Demo implements AutoCloseable {

    /** Limits of each partition, so that a demo can run for days. */
    private static final Map<String, String> SMALL_LOGS =
            Map.of(
                    "log.segment.bytes", Integer.toString(32 << 20),
                    "log.retention.bytes", Integer.toString(256 << 20));

    /** What differs from the configuration for own traffic: results of the last seconds. */
    private static final String SETTINGS =
            """
            job.name: counterflow-demo
            join.impression-wait: 5s
            loop.buffer-size: 64mb
            windows.size: 5s
            windows.slide: 5s
            """;

    /** Largest number of users per second; a slow machine has fewer. */
    private static final double RATE = 500.0;

    private final DemoDirectory directory;
    private final BooleanSupplier stopped;
    private final World world;
    private final DemoHistory history;
    private final Consumer<String> notes;
    private final long startNs = System.nanoTime();

    private @Nullable LocalDeployment deployment;
    private @Nullable SimulatedUsers users;
    private @Nullable LoopWatch watch;
    private long snapshotsBefore;
    private String bootstrapServers = "";
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
     * Starts all parts. If this fails or is stopped, {@link #close} stops those that have started.
     *
     * @param wantedPort port of dashboard and API; 0 for any free port
     * @param seed seed of the users
     */
    void start(int wantedPort, long seed) throws Exception {
        LocalConfig config =
                LocalConfig.parse(SETTINGS, Map.of(), directory.data().flink())
                        .with(Options.PORT, Integer.toString(wantedPort));
        LocalDeployment local = new LocalDeployment(directory.data(), config, stopped, notes);
        deployment = local;
        bootstrapServers = local.startBroker(EmbeddedKafka.FREE_PORT, SMALL_LOGS);
        if (stopped.getAsBoolean()) {
            return;
        }
        local.startJob(bootstrapServers);
        JobConfig job = config.job(bootstrapServers);
        watch =
                LoopWatch.start(
                        world.loop(),
                        history,
                        job.kafka(),
                        job.topics(),
                        () -> stopped.getAsBoolean() || local.hasFailed(),
                        notes,
                        local::fail);
        local.requireRunning();
        snapshotsBefore = history.learning().snapshots();
        if (stopped.getAsBoolean()) {
            return;
        }
        port = local.startServing(bootstrapServers, history).port();
        if (stopped.getAsBoolean()) {
            return;
        }
        CounterflowClient client =
                new CounterflowClient(
                        ClientSettings.of(URI.create("http://127.0.0.1:" + port))
                                .withRetries(Retries.none())
                                .withRankRetries(Retries.none()));
        SimulatedUsers started =
                new SimulatedUsers(world, client, directory::takeEventNumber, seed, RATE);
        started.createLoop();
        users = started;
        started.start(local::fail);
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    int port() {
        return port;
    }

    void requireRunning() {
        if (deployment != null) {
            deployment.requireRunning();
        }
    }

    DemoStatus status() {
        return new DemoStatus(
                Duration.ofNanos(System.nanoTime() - startNs),
                port,
                users == null ? new SimulatedUsers.Counts(0, 0, 0) : users.counts(),
                watch == null ? 0 : watch.examples(),
                watch == null ? 0 : watch.unused(UnusedKindRecord.LATE),
                watch == null ? 0 : watch.unused(UnusedKindRecord.DEAD_LETTER),
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
        endTraffic();
        if (watch != null) {
            watch.close();
        }
        if (deployment != null) {
            deployment.close();
        }
    }
}
