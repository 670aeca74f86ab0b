package io.counterflow.serving;

import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;

/**
 * Starts the serving process: {@code java -cp … io.counterflow.serving.Main --config FILE}.
 *
 * <p>Exits with 1 when serving fails, and with 2 when the arguments or the configuration are
 * invalid.
 */
public final class Main {

    private static final String USAGE = "usage: --config FILE";
    private static final String LOGGING = "log4j2.configurationFile";

    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        if (System.getProperty(LOGGING) == null) { // before the first logger exists
            System.setProperty(LOGGING, "counterflow-serving-log4j2.properties");
        }
        System.exit(run(args, System.getenv(), System.err));
    }

    static int run(String[] args, Map<String, String> environment, PrintStream err)
            throws InterruptedException {
        if (args.length != 2 || !args[0].equals("--config")) {
            err.println("counterflow-serving: " + USAGE);
            return 2;
        }
        try {
            serve(Path.of(args[1]), environment, err::println);
            return 0;
        } catch (NoSuchFileException e) {
            err.println("counterflow-serving: no such file: " + e.getFile());
            return 2;
        } catch (AccessDeniedException e) {
            err.println("counterflow-serving: cannot read " + e.getFile() + ": permission denied");
            return 2;
        } catch (CharacterCodingException e) {
            err.println("counterflow-serving: " + args[1] + " must be UTF-8 text");
            return 2;
        } catch (IllegalArgumentException e) {
            err.println("counterflow-serving: " + e.getMessage());
            return 2;
        } catch (IOException | IllegalStateException e) {
            err.println("counterflow-serving: " + (e instanceof IOException ? e : e.getMessage()));
            return 1;
        }
    }

    /**
     * Serves until the JVM is asked to stop.
     *
     * @param note receives messages for the person who started the process
     * @throws IllegalArgumentException if the configuration, or a file that it names, is invalid
     * @throws IllegalStateException if Kafka refuses the connection
     */
    public static void serve(Path file, Map<String, String> environment, Consumer<String> note)
            throws IOException, InterruptedException {
        if (!Files.isRegularFile(file)) {
            throw new NoSuchFileException(file.toString());
        }
        ServingConfig config;
        ServingProcess process;
        try {
            config = ServingConfig.read(file, environment);
            note.accept("connecting to Kafka at " + config.kafka().bootstrapServers());
            process = start(config);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    process.close();
                                    stopped.countDown();
                                },
                                "stop-serving"));
        note.accept(
                "http://%s:%d, health and metrics on port %d; press Ctrl-C to stop"
                        .formatted(config.api().host(), process.port(), process.managementPort()));
        var unused = process.failure().thenRun(stopped::countDown);
        stopped.await();
        if (process.failure().isDone()) {
            process.close();
            throw refused(config.kafka().bootstrapServers(), process.failure().join());
        }
    }

    private static ServingProcess start(ServingConfig config) throws IOException {
        String servers = config.kafka().bootstrapServers();
        Clock clock = Clock.systemUTC();
        try {
            return ServingProcess.start(config, new ServingLog(System.err, clock), clock);
        } catch (KafkaException e) {
            throw refused(servers, e);
        }
    }

    private static IllegalStateException refused(String servers, Throwable reason) {
        return new IllegalStateException(
                "Kafka at %s: %s".formatted(servers, reason.getMessage()), reason);
    }
}
