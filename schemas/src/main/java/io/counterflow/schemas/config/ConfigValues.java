package io.counterflow.schemas.config;

import io.counterflow.schemas.registry.ConfluentEncoding;
import io.counterflow.schemas.registry.RegistryAddress;
import io.counterflow.schemas.text.Spelling;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.topics.ValueEncoding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The options of one process: values from a YAML file, overridden by environment variables, and
 * defaults for the rest.
 *
 * <p>Keys are written with dots or as nested maps. The variable of {@code kafka.topic-prefix} is
 * {@code COUNTERFLOW_KAFKA_TOPIC_PREFIX}. Unknown keys are errors, except those that belong to the
 * other process.
 */
public final class ConfigValues {

    /** Keys that were removed, with their replacements. */
    private static final Map<String, String> REMOVED =
            Map.of("sink.compression", "kafka.compression");

    private final Map<String, String> texts;

    private ConfigValues(Map<String, String> texts) {
        this.texts = texts;
    }

    /**
     * Reads a file.
     *
     * @param environment environment variables, such as {@code System.getenv()}
     * @throws IllegalArgumentException if a key or value is invalid; the message names the key
     */
    public static ConfigValues read(Component component, Path file, Map<String, String> environment)
            throws IOException {
        return parse(component, Files.readString(file), environment);
    }

    /** The same for the text of a file. */
    public static ConfigValues parse(
            Component component, String yaml, Map<String, String> environment) {
        return parse(component, yaml, environment, REMOVED);
    }

    static ConfigValues parse(
            Component component,
            String yaml,
            Map<String, String> environment,
            Map<String, String> removed) {
        Set<String> known =
                component.options().stream().map(Option::key).collect(Collectors.toSet());
        Map<String, String> texts = new TreeMap<>(YamlKeys.read(yaml));
        for (String key : texts.keySet()) {
            if (component.checks(key)) {
                requireKnown(key, known, removed);
            }
        }
        texts.putAll(ConfigVariables.read(environment, known));
        ConfigValues values = new ConfigValues(texts);
        component.options().forEach(values::get); // fails at once if a value is invalid
        return values;
    }

    private static void requireKnown(String key, Set<String> known, Map<String, String> removed) {
        String replacement = removed.get(key);
        if (replacement != null) {
            throw new IllegalArgumentException(key + " was removed; use " + replacement);
        }
        if (!known.contains(key) && !key.startsWith(ConfigVariables.KAFKA_CLIENT)) {
            String suggestion =
                    Spelling.nearest(key, known).map(it -> "; did you mean " + it + "?").orElse("");
            throw new IllegalArgumentException("unknown key " + key + suggestion);
        }
    }

    public <T> T get(Option<T> option) {
        return option.parse(texts.getOrDefault(option.key(), option.defaultText()));
    }

    /** The value of an option without a default; empty if it is not set. */
    public Optional<String> find(Option<String> option) {
        return Optional.of(get(option)).filter(text -> !text.isEmpty());
    }

    /** How to connect to Kafka. */
    public KafkaConfig kafka() {
        Map<String, String> clientProperties = new TreeMap<>();
        texts.forEach(
                (key, value) -> {
                    if (key.startsWith(ConfigVariables.KAFKA_CLIENT)) {
                        clientProperties.put(
                                key.substring(ConfigVariables.KAFKA_CLIENT.length()), value);
                    }
                });
        return new KafkaConfig(
                get(Options.BOOTSTRAP_SERVERS),
                clientProperties,
                get(Options.COMPRESSION),
                values());
    }

    private ValueEncoding values() {
        if (get(Options.SCHEMA_ENCODING) == SchemaEncoding.SINGLE_OBJECT) {
            return ValueEncoding.SingleObject.INSTANCE;
        }
        String url =
                find(Options.REGISTRY_URL)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "schemas.registry-url must be given with"
                                                        + " schemas.encoding: confluent, got none"));
        return new ConfluentEncoding(
                RegistryAddress.parse(url, find(Options.REGISTRY_CREDENTIALS).orElse(null)));
    }

    public Topics topics() {
        return new Topics(get(Options.TOPIC_PREFIX));
    }

    /** Settings of topics when they are created. */
    public TopicSettings topicSettings() {
        return new TopicSettings(
                get(Options.EVENT_PARTITIONS),
                get(Options.PARTITIONS),
                get(Options.REPLICATION_FACTOR),
                get(Options.FEEDBACK_RETENTION),
                get(Options.LOG_RETENTION),
                get(Options.MAX_WRITTEN_SIZE));
    }
}
