package io.counterflow.e2e.failures;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/**
 * How the processes of a Flink cluster in application mode are started, with the settings of the
 * image. Flink's own scripts are not on Maven Central.
 */
final class FlinkCommands {

    static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private static final MemorySize TASK_MANAGER_MEMORY = MemorySize.ofMebiBytes(1000);

    private final Path settings;
    private final String classPath;
    private final Map<String, String> cluster;

    /**
     * @param settings the directory with Flink's {@code config.yaml}
     * @param cluster Flink settings of all processes, which override it
     */
    FlinkCommands(Path settings, String classPath, Map<String, String> cluster) {
        this.settings = settings;
        this.classPath = classPath;
        this.cluster = cluster;
    }

    List<String> zooKeeper(Path config) {
        List<String> command = java("-Xmx128m");
        command.add("org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer");
        command.addAll(List.of("--zkConfigFile", config.toString(), "--peerId", "1"));
        return command;
    }

    /**
     * @param job the configuration of the job
     * @param own Flink settings of this process
     */
    List<String> jobManager(Path job, Map<String, String> own) {
        List<String> command = java("-Xmx400m");
        command.add("org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint");
        command.addAll(List.of("--configDir", settings.toString()));
        command.addAll(List.of("--job-classname", "io.counterflow.flink.job.Main"));
        addSettings(command, own);
        // Flink would read --config as its own --configDir.
        command.addAll(List.of("--", "--config", job.toString()));
        return command;
    }

    /**
     * @param own Flink settings of this process
     */
    List<String> taskManager(Map<String, String> own) {
        Configuration given = load();
        given.set(TaskManagerOptions.TOTAL_PROCESS_MEMORY, TASK_MANAGER_MEMORY);
        TaskExecutorProcessSpec memory = TaskExecutorProcessUtils.processSpecFromConfig(given);
        List<String> command =
                java(ProcessMemoryUtils.generateJvmParametersStr(memory).split("\\s+"));
        command.add("org.apache.flink.runtime.taskexecutor.TaskManagerRunner");
        command.addAll(List.of("--configDir", settings.toString()));
        command.addAll(
                Arrays.asList(
                        TaskExecutorProcessUtils.generateDynamicConfigsStr(memory)
                                .trim()
                                .split("\\s+")));
        addSettings(command, own);
        return command;
    }

    private Configuration load() {
        return GlobalConfiguration.loadConfiguration(settings.toString());
    }

    private List<String> java(String... memory) {
        List<String> command = new ArrayList<>();
        command.add(JAVA);
        command.addAll(Arrays.asList(memory));
        command.add("-XX:+UseSerialGC");
        command.add("-Dlog4j.configurationFile=" + settings.resolve("log4j-console.properties"));
        command.addAll(Arrays.asList(load().get(CoreOptions.FLINK_JVM_OPTIONS).split("\\s+")));
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    private void addSettings(List<String> command, Map<String, String> own) {
        cluster.forEach((key, value) -> command.add("-D" + key + "=" + value));
        own.forEach((key, value) -> command.add("-D" + key + "=" + value));
    }
}
