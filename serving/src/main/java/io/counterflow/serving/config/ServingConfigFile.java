package io.counterflow.serving.config;

import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.schemas.config.ConfigVariables;
import io.counterflow.schemas.config.YamlKeys;
import io.counterflow.schemas.text.Spelling;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.serving.http.HttpLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The configuration of the serving process: the same YAML file as the job's, then what the
 * environment says, and defaults for the rest.
 *
 * <p>Keys under {@code kafka} belong to both processes, those under {@code serving} to this one. A
 * key of these two that nobody knows is an error; all others belong to the job and are passed over.
 */
public final class ServingConfigFile {

    private static final String OWN = "serving.";
    private static final String SHARED = "kafka.";

    private final Map<String, String> given;

    private ServingConfigFile(Map<String, String> given) {
        this.given = given;
    }

    /**
     * Reads a file.
     *
     * @param environment variables, such as {@code System.getenv()}
     * @throws IllegalArgumentException if a key or a value cannot be used; the message says which
     */
    public static ServingConfig read(Path file, Map<String, String> environment)
            throws IOException {
        return parse(Files.readString(file), environment);
    }

    /** Reads the text of a file. */
    public static ServingConfig parse(String yaml, Map<String, String> environment) {
        Map<String, Option<?>> known = new TreeMap<>();
        ServingOptions.all().forEach(option -> known.put(option.key(), option));
        Map<String, String> values = YamlKeys.read(yaml);
        values.keySet().forEach(key -> requireKnown(key, known.keySet()));
        values.putAll(ConfigVariables.read(environment, known.keySet()));
        return new ServingConfigFile(values).toConfig();
    }

    private static void requireKnown(String key, Set<String> known) {
        boolean ours = key.startsWith(OWN) || key.startsWith(SHARED);
        if (ours && !known.contains(key) && !key.startsWith(ConfigVariables.KAFKA_CLIENT)) {
            throw new IllegalArgumentException(
                    "unknown key %s%s"
                            .formatted(
                                    key,
                                    Spelling.nearest(key, known)
                                            .map(it -> "; did you mean " + it + "?")
                                            .orElse("")));
        }
    }

    private ServingConfig toConfig() {
        ServingConfig.Address api = address(ServingOptions.HOST, ServingOptions.PORT);
        return new ServingConfig(
                get(ServingOptions.NAME),
                get(ServingOptions.JOB_NAME),
                new KafkaConfig(get(ServingOptions.BOOTSTRAP_SERVERS), clientProperties()),
                new Topics(get(ServingOptions.TOPIC_PREFIX)),
                topicSettings(),
                get(ServingOptions.CREATE_TOPICS),
                api,
                address(ServingOptions.MANAGEMENT_HOST, ServingOptions.MANAGEMENT_PORT),
                threads(),
                new HttpLimits(
                        bytes(ServingOptions.MAX_BODY_SIZE),
                        get(ServingOptions.REQUESTS_PER_SECOND)),
                get(ServingOptions.IDLE_TIMEOUT),
                ServingConfig.Access.of(
                        get(ServingOptions.AUTH),
                        optional(ServingOptions.TOKENS_FILE, Path::of),
                        api),
                tls(),
                new ProducerSettings(
                        get(ServingOptions.IMPRESSION_TIMEOUT),
                        get(ServingOptions.IMPRESSION_BUFFER)),
                new ProducerSettings(
                        get(ServingOptions.REWARD_TIMEOUT), get(ServingOptions.REWARD_BUFFER)),
                bytes(ServingOptions.MAX_RECORD_SIZE),
                get(ServingOptions.HEARTBEAT_INTERVAL),
                optional(ServingOptions.PERSONALIZER_LOOP, Function.identity()),
                get(ServingOptions.STOP_TIMEOUT));
    }

    private ServingConfig.Address address(Option<String> host, Option<Integer> port) {
        String name = get(host);
        int number = get(port);
        try {
            return new ServingConfig.Address(name, number);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s and %s: %s".formatted(host.key(), port.key(), e.getMessage()), e);
        }
    }

    private Map<String, String> clientProperties() {
        Map<String, String> properties = new TreeMap<>();
        given.forEach(
                (key, value) -> {
                    if (key.startsWith(ConfigVariables.KAFKA_CLIENT)) {
                        properties.put(key.substring(ConfigVariables.KAFKA_CLIENT.length()), value);
                    }
                });
        return properties;
    }

    private TopicSettings topicSettings() {
        return new TopicSettings(
                get(ServingOptions.EVENT_PARTITIONS),
                get(ServingOptions.PARTITIONS),
                get(ServingOptions.REPLICATION_FACTOR),
                get(ServingOptions.FEEDBACK_RETENTION),
                get(ServingOptions.LOG_RETENTION),
                bytes(ServingOptions.MAX_WRITTEN_SIZE));
    }

    private int threads() {
        int threads = get(ServingOptions.THREADS);
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }

    private Optional<ServingConfig.Tls> tls() {
        Optional<Path> certificate = optional(ServingOptions.TLS_CERTIFICATE, Path::of);
        Optional<Path> key = optional(ServingOptions.TLS_KEY, Path::of);
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException(
                    "serving.tls.certificate-file and serving.tls.key-file must be given together");
        }
        return certificate.map(chain -> new ServingConfig.Tls(chain, key.orElseThrow()));
    }

    private <T> Optional<T> optional(Option<String> option, Function<String, T> use) {
        String text = get(option);
        return text.isEmpty() ? Optional.empty() : Optional.of(use.apply(text));
    }

    private int bytes(Option<Long> option) {
        long bytes = get(option);
        if (bytes < 1 || bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "%s must be between 1 byte and 2 GiB, got %d bytes"
                            .formatted(option.key(), bytes));
        }
        return (int) bytes;
    }

    private <T> T get(Option<T> option) {
        return option.read(given.getOrDefault(option.key(), option.defaultText()));
    }
}
