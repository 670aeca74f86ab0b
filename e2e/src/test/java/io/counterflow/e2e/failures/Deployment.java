package io.counterflow.e2e.failures;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counterflow as it runs in production, as processes of one machine: ZooKeeper for the high
 * availability of Flink, a broker, a JobManager in application mode, two TaskManagers and two
 * serving processes. Processes that end by themselves are started again.
 */
final class Deployment implements AutoCloseable {

    static final int SERVING_PROCESSES = 2;
    static final int TASK_MANAGERS = 2;

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Duration SUPERVISION = Duration.ofMillis(500);

    private final Path directory;
    private final String settings;
    private final int kafkaPort = freePort();
    private final int restPort = freePort();
    private final int zooKeeperPort = freePort();
    private final List<Integer> servingPorts = new ArrayList<>();
    private final ServerProcess zooKeeper;
    private final ServerProcess broker;
    private final ServerProcess jobManager;
    private final List<ServerProcess> taskManagers = new ArrayList<>();
    private final List<ServerProcess> serving = new ArrayList<>();
    private final Thread supervisor = new Thread(this::supervise, "supervisor");
    private final Thread destroyAtExit = new Thread(this::destroyAll, "destroy-processes");
    private volatile boolean closing;

    /**
     * @param directory an empty directory
     * @param settings further lines of the configuration of job and serving
     */
    Deployment(Path directory, String settings) throws IOException {
        this.directory = directory;
        this.settings = settings;
        Path config = writeConfig("job.yaml", "");
        FlinkCommands flink =
                new FlinkCommands(ROOT.resolve("docker/flink"), classPath(), clusterSettings());
        zooKeeper = process("zookeeper", flink.zooKeeper(writeZooKeeperConfig()), Map.of());
        broker =
                counterflow(
                        "broker",
                        "-Xmx400m",
                        "broker",
                        "--port",
                        Integer.toString(kafkaPort),
                        "--directory",
                        directory.resolve("kafka").toString());
        jobManager =
                process(
                        "jobmanager",
                        flink.jobManager(config, localDirectory("jobmanager")),
                        Map.of());
        for (int i = 1; i <= TASK_MANAGERS; i++) {
            String name = "taskmanager-" + i;
            taskManagers.add(process(name, flink.taskManager(localDirectory(name)), Map.of()));
        }
        for (int i = 1; i <= SERVING_PROCESSES; i++) {
            int port = freePort();
            servingPorts.add(port);
            serving.add(newServing(i, port));
        }
        supervisor.setDaemon(true);
    }

    /** The second one has a clock that can be set. */
    private ServerProcess newServing(int number, int port) throws IOException {
        String name = "serving-" + number;
        Path config =
                writeConfig(
                        name + ".yaml",
                        """
                        serving.name: %s
                        serving.port: %d
                        serving.management.port: 0
                        """
                                .formatted(name, port));
        if (number == 1) {
            return counterflow(name, "-Xmx256m", "serve", "--config", config.toString());
        }
        setClock(Duration.ZERO);
        String tests = ROOT.resolve("e2e/target/test-classes").toString();
        return process(
                name,
                List.of(
                        FlinkCommands.JAVA,
                        "-Xmx256m",
                        "-cp",
                        classPath() + System.getProperty("path.separator") + tests,
                        ServingWithSetClock.class.getName(),
                        config.toString(),
                        clockOffset().toString()),
                Map.of());
    }

    private Path clockOffset() {
        return directory.resolve("clock-offset");
    }

    /** Sets the clock of the second serving process ahead of that of the machine. */
    void setClock(Duration ahead) throws IOException {
        ServingWithSetClock.set(clockOffset(), ahead);
    }

    /** The same configuration for job and serving, as the documentation recommends. */
    private Path writeConfig(String file, String more) throws IOException {
        return Files.writeString(
                directory.resolve(file),
                """
                kafka.bootstrap-servers: %s
                kafka.event-partitions: 4
                kafka.partitions: 2
                storage.directory: %s
                job.parallelism: %d
                watermarks.idle-timeout: 0s
                %s%s"""
                        .formatted(
                                bootstrapServers(),
                                directory.resolve("storage").toUri(),
                                TASK_MANAGERS,
                                settings,
                                more));
    }

    private Path writeZooKeeperConfig() throws IOException {
        return Files.writeString(
                directory.resolve("zookeeper.cfg"),
                """
                tickTime=1000
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                admin.enableServer=false
                """
                        .formatted(directory.resolve("zookeeper"), zooKeeperPort));
    }

    private Map<String, String> clusterSettings() {
        Map<String, String> flink = new LinkedHashMap<>();
        flink.put("jobmanager.rpc.address", "127.0.0.1");
        flink.put("jobmanager.rpc.port", Integer.toString(freePort()));
        flink.put("jobmanager.bind-host", "127.0.0.1");
        flink.put("blob.server.port", "0");
        flink.put("rest.address", "127.0.0.1");
        flink.put("rest.bind-address", "127.0.0.1");
        flink.put("rest.port", Integer.toString(restPort));
        flink.put("taskmanager.host", "127.0.0.1");
        flink.put("taskmanager.bind-host", "127.0.0.1");
        flink.put("taskmanager.rpc.port", "0");
        flink.put("metrics.reporters", "none");
        flink.put("high-availability.type", "zookeeper");
        flink.put("high-availability.zookeeper.quorum", "127.0.0.1:" + zooKeeperPort);
        flink.put("high-availability.storageDir", directory.resolve("ha").toUri().toString());
        flink.put("high-availability.cluster-id", "/counterflow");
        return flink;
    }

    private Map<String, String> localDirectory(String process) {
        return Map.of("io.tmp.dirs", directory.resolve("local-" + process).toString());
    }

    /** The directory of the files that a process keeps for itself, such as those of RocksDB. */
    Path localDirectory(ServerProcess process) {
        return directory.resolve("local-" + process.name());
    }

    private ServerProcess counterflow(String name, String memory, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(ROOT.resolve("bin/counterflow").toString());
        command.addAll(List.of(arguments));
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("COUNTERFLOW_SKIP_BUILD", "1");
        variables.put("COUNTERFLOW_JAVA_OPTS", memory);
        variables.put("JAVA_HOME", System.getProperty("java.home"));
        return process(name, command, variables);
    }

    private ServerProcess process(
            String name, List<String> command, Map<String, String> variables) {
        return new ServerProcess(name, directory.resolve(name + ".log"), command, variables);
    }

    /** The libraries of the command, which contain Flink, and what only a cluster needs. */
    private static String classPath() throws IOException {
        Path cli = ROOT.resolve("cli/target");
        List<String> entries = new ArrayList<>();
        try (var jars = Files.newDirectoryStream(cli, "counterflow-cli-*.jar")) {
            jars.forEach(jar -> entries.add(jar.toString()));
        }
        entries.add(cli.resolve("lib").resolve("*").toString());
        entries.add(ROOT.resolve("e2e/target/flink-container").resolve("*").toString());
        return String.join(System.getProperty("path.separator"), entries);
    }

    /** Starts all processes, in no particular order: each waits for those that it needs. */
    void start() throws IOException {
        Runtime.getRuntime().addShutdownHook(destroyAtExit);
        for (ServerProcess process : processes()) {
            process.start();
        }
        supervisor.start();
    }

    private void supervise() {
        try {
            while (!closing) {
                for (ServerProcess process : processes()) {
                    process.restartIfEnded();
                }
                TimeUnit.MILLISECONDS.sleep(SUPERVISION.toMillis());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the cluster, after its job. */
    void killFlink() throws InterruptedException {
        jobManager.kill();
        for (ServerProcess taskManager : taskManagers) {
            taskManager.kill();
        }
    }

    List<ServerProcess> processes() {
        List<ServerProcess> all = new ArrayList<>(List.of(zooKeeper, broker, jobManager));
        all.addAll(taskManagers);
        all.addAll(serving);
        return all;
    }

    ServerProcess broker() {
        return broker;
    }

    ServerProcess jobManager() {
        return jobManager;
    }

    List<ServerProcess> taskManagers() {
        return taskManagers;
    }

    List<ServerProcess> serving() {
        return serving;
    }

    Path directory() {
        return directory;
    }

    /** The configuration of the job, for further commands. */
    Path config() {
        return directory.resolve("job.yaml");
    }

    String bootstrapServers() {
        return "127.0.0.1:" + kafkaPort;
    }

    KafkaConfig kafka() {
        return new KafkaConfig(bootstrapServers(), Map.of());
    }

    Topics topics() {
        return new Topics("counterflow");
    }

    URI servingAddress(int index) {
        return URI.create("http://127.0.0.1:" + servingPorts.get(index));
    }

    URI flinkAddress() {
        return URI.create("http://127.0.0.1:" + restPort);
    }

    private static int freePort() {
        try (ServerSocket socket =
                new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void destroyAll() {
        closing = true;
        processes().forEach(ServerProcess::destroy);
    }

    /** Also right after an interruption, so that nothing is left running. */
    @Override
    public void close() throws IOException {
        destroyAll();
        Runtime.getRuntime().removeShutdownHook(destroyAtExit);
        try {
            supervisor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while processes are killed");
        }
    }
}
