package io.counterflow.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flink accepts the sample of its own settings. */
final class FlinkSettingsSampleIT {

    private static final List<Class<?>> OPTIONS =
            List.of(
                    BlobServerOptions.class,
                    CheckpointingOptions.class,
                    CoreOptions.class,
                    JobManagerOptions.class,
                    MetricOptions.class,
                    RestOptions.class,
                    RestartStrategyOptions.class,
                    RocksDBConfigurableOptions.class,
                    RocksDBOptions.class,
                    StateBackendOptions.class,
                    TaskManagerOptions.class,
                    WebOptions.class);

    @TempDir private Path directory;

    private Configuration load(String yaml) throws Exception {
        Files.writeString(directory.resolve("config.yaml"), yaml);
        return GlobalConfiguration.loadConfiguration(directory.toString());
    }

    private static Set<String> unknownKeys(Configuration settings) throws Exception {
        Set<String> known = new HashSet<>();
        for (Class<?> options : OPTIONS) {
            for (Field field : options.getFields()) {
                if (ConfigOption.class.isAssignableFrom(field.getType())) {
                    known.add(((ConfigOption<?>) field.get(null)).key());
                }
            }
        }
        Set<String> unknown = new TreeSet<>(settings.keySet());
        unknown.removeAll(known);
        unknown.removeIf(key -> key.startsWith("metrics.reporter.prom."));
        return unknown;
    }

    @Test
    void flinkKnowsEveryKey() throws Exception {
        String sample = Project.read("docker/flink/config.yaml");
        assertThat(unknownKeys(load(sample))).isEmpty();
        assertThat(unknownKeys(load(sample.replace("numberOfTaskSlots", "numberOfSlots"))))
                .containsExactly("taskmanager.numberOfSlots");
    }

    @Test
    void memorySettingsAreConsistentAndRocksDbHasAShare() throws Exception {
        Configuration settings = load(Project.read("docker/flink/config.yaml"));
        TaskExecutorProcessSpec memory = TaskExecutorProcessUtils.processSpecFromConfig(settings);
        assertThat(memory.getManagedMemorySize().getMebiBytes()).isBetween(250, 400);
        assertThat(memory.getTaskHeapSize().getMebiBytes())
                .as(
                        "loops at hand, waiting events, a buffer and windows: 208 MB in"
                                + " counterflow.yaml")
                .isGreaterThan(300);
        assertThat(
                        JobManagerProcessUtils.processSpecFromConfig(settings)
                                .getJvmHeapMemorySize()
                                .getMebiBytes())
                .isGreaterThan(300);
    }

    @Test
    void checkpointsAreIncrementalAndMetricsAreReported() throws Exception {
        Configuration settings = load(Project.read("docker/flink/config.yaml"));
        assertThat(settings.get(StateBackendOptions.STATE_BACKEND)).isEqualTo("rocksdb");
        assertThat(settings.get(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)).isTrue();
        assertThat(settings.get(RocksDBOptions.USE_MANAGED_MEMORY)).isTrue();
        assertThat(settings.get(RestartStrategyOptions.RESTART_STRATEGY))
                .isEqualTo("exponential-delay");
        assertThat(settings.get(WebOptions.SUBMIT_ENABLE)).isFalse();
        String port = settings.toMap().get("metrics.reporter.prom.port");
        assertThat(Project.read("docker/prometheus/prometheus.yml"))
                .contains("jobmanager:" + port, "taskmanager:" + port);
        assertThat(settings.toMap())
                .as("loops have the same names in metrics of job and serving")
                .containsEntry("metrics.reporter.prom.filterLabelValueCharacters", "false");
        assertThat(settings.get(CoreOptions.FLINK_JVM_OPTIONS))
                .contains("--add-opens=java.base/java.util=ALL-UNNAMED")
                .doesNotContain("\n");
    }
}
