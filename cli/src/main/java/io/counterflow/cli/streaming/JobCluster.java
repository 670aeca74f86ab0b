package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FlinkException;
import org.jspecify.annotations.Nullable;

/** The Flink cluster of a job: in this process or remote. */
public final class JobCluster implements AutoCloseable {

    private final @Nullable EmbeddedFlink embedded; // null for a remote cluster
    private final String host;
    private final int port;

    private JobCluster(@Nullable EmbeddedFlink embedded, String host, int port) {
        this.embedded = embedded;
        this.host = host;
        this.port = port;
    }

    public static JobCluster local(JobConfig config) {
        int slots =
                config.run()
                        .givenParallelism()
                        .orElseGet(() -> Runtime.getRuntime().availableProcessors());
        Configuration cluster = new Configuration();
        // Flink reads it from the configuration of the cluster, not of the job.
        cluster.set(
                CheckpointingOptions.MAX_RETAINED_CHECKPOINTS,
                config.run().checkpoints().retained());
        EmbeddedFlink flink =
                EmbeddedFlink.start(Math.min(slots, config.run().maxParallelism()), cluster);
        return new JobCluster(flink, flink.address().getHost(), flink.address().getPort());
    }

    static JobCluster remote(JobConfig config) {
        String address = config.run().clusterAddress();
        int colon = address.lastIndexOf(':');
        if (colon < 1 || !address.substring(colon + 1).matches("\\d{1,5}")) {
            throw new BadInputException(
                    "cluster.address must be host:port, got \"" + address + '"');
        }
        return new JobCluster(
                null, address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    String address() {
        return "http://" + host + ":" + port;
    }

    public RunningJob submit(JobSetup setup, Optional<String> state) throws Exception {
        Configuration settings = new Configuration();
        state.ifPresent(path -> settings.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
        String[] jars = embedded == null ? JobJars.onClassPath() : new String[0];
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createRemoteEnvironment(host, port, settings, jars);
        if (embedded != null) {
            env.setParallelism(embedded.slots());
        }
        setup.build(env);
        try {
            return new RunningJob(env.executeAsync());
        } catch (FlinkException e) {
            throw new IllegalStateException(
                    "cannot submit to %s: %s".formatted(address(), reasonOf(e)), e);
        }
    }

    /** The message of the innermost cause: Flink wraps it in several "Failed to execute job". */
    static String reasonOf(Throwable thrown) {
        Throwable root = rootOf(thrown);
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
