package io.counterflow.cli.embedded;

import io.counterflow.core.numeric.Require;
import java.net.URI;
import java.util.concurrent.ExecutionException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A Flink cluster in this process that listens on loopback only. Jobs are submitted to its REST
 * endpoint.
 */
public final class EmbeddedFlink implements AutoCloseable {

    private static final String HOST = "127.0.0.1";

    /** Memory of RocksDB, shared by all slots. */
    private static final MemorySize MANAGED_MEMORY = MemorySize.ofMebiBytes(256);

    private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(64);

    private final MiniCluster cluster;
    private final URI address;
    private final int slots;

    private EmbeddedFlink(MiniCluster cluster, URI address, int slots) {
        this.cluster = cluster;
        this.address = address;
        this.slots = slots;
    }

    public static EmbeddedFlink start(int slots) {
        return start(slots, new Configuration());
    }

    /**
     * Starts a cluster and waits until it is ready.
     *
     * @param slots the maximum parallelism of a job
     * @param more further settings of the cluster, such as metric reporters. Not modified.
     */
    public static EmbeddedFlink start(int slots, Configuration more) {
        Require.atLeast(1, slots, "slots");
        Configuration settings = new Configuration(more);
        settings.set(RestOptions.ADDRESS, HOST);
        settings.set(RestOptions.BIND_ADDRESS, HOST);
        settings.set(RestOptions.BIND_PORT, "0");
        settings.set(JobManagerOptions.BIND_HOST, HOST); // the default serves files to all hosts
        settings.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY);
        settings.set(TaskManagerOptions.NETWORK_MEMORY_MIN, NETWORK_MEMORY);
        settings.set(TaskManagerOptions.NETWORK_MEMORY_MAX, NETWORK_MEMORY);
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(settings)
                                .setCommonBindAddress(HOST)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(slots)
                                .build());
        try {
            cluster.start();
            return new EmbeddedFlink(cluster, cluster.getRestAddress().get(), slots);
        } catch (Exception e) { // declared by the cluster
            var unused = cluster.closeAsync(); // its threads would keep this process alive
            throw new IllegalStateException("cannot start Flink in this process", e);
        }
    }

    public int slots() {
        return slots;
    }

    /** The address of the REST endpoint. */
    public URI address() {
        return address;
    }

    /** An environment whose jobs run on this cluster with these settings. */
    public StreamExecutionEnvironment environment(Configuration settings) {
        return StreamExecutionEnvironment.createRemoteEnvironment(
                address.getHost(), address.getPort(), settings);
    }

    @Override
    public void close() {
        try {
            cluster.closeAsync().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Flink did not stop cleanly", e.getCause());
        }
    }
}
