package io.counterflow.flink.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.counterflow.schemas.text.Spelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;

/**
 * The job's configuration: one YAML file, then what the environment says, and defaults for the
 * rest.
 *
 * <p>Keys may be written with dots or as nested maps. The variable of {@code kafka.topic-prefix} is
 * {@code COUNTERFLOW_KAFKA_TOPIC_PREFIX}. A key that nobody knows is an error; only what is under
 * {@code serving} belongs to another process and is passed over.
 */
public final class ConfigFile {

    /** What variables start with. */
    public static final String VARIABLE_PREFIX = "COUNTERFLOW_";

    private static final String OTHER_PROCESS = "serving.";

    /** Keys that are no more, and what took their place. */
    private static final Map<String, String> RETIRED = Map.of();

    private final Map<String, ConfigOption<?>> known = new TreeMap<>();
    private final Map<String, String> retired;

    private ConfigFile(Map<String, String> retired) {
        options().forEach(option -> known.put(option.key(), option));
        this.retired = retired;
    }

    /** Every option, in the order of the documentation. */
    public static List<ConfigOption<?>> options() {
        return Stream.of(KafkaOptions.all(), StreamOptions.all(), RunOptions.all())
                .flatMap(List::stream)
                .toList();
    }

    /**
     * Reads a file.
     *
     * @param environment variables, such as {@code System.getenv()}
     * @throws IllegalArgumentException if a key or a value cannot be used; the message says which
     */
    public static JobConfig read(Path file, Map<String, String> environment) throws IOException {
        return parse(Files.readString(file), environment);
    }

    /** Reads the text of a file. */
    public static JobConfig parse(String yaml, Map<String, String> environment) {
        return new ConfigFile(RETIRED).toConfig(yaml, environment);
    }

    static JobConfig parse(
            String yaml, Map<String, String> environment, Map<String, String> retired) {
        return new ConfigFile(retired).toConfig(yaml, environment);
    }

    private JobConfig toConfig(String yaml, Map<String, String> environment) {
        Map<String, String> values = flatten(yaml);
        values.keySet().removeIf(key -> key.startsWith(OTHER_PROCESS));
        values.keySet().forEach(this::requireKnown);
        values.putAll(variables(environment));
        Configuration given = Configuration.fromMap(values);
        known.values().forEach(option -> requireReadable(given, option));
        return new JobConfigReader(given).read();
    }

    private void requireKnown(String key) {
        String successor = retired.get(key);
        if (successor != null) {
            throw new IllegalArgumentException(key + " is no more; use " + successor);
        }
        if (!known.containsKey(key) && !key.startsWith(KafkaOptions.CLIENT_PREFIX)) {
            throw new IllegalArgumentException(
                    "unknown key %s%s".formatted(key, suggestion(key, known.keySet())));
        }
    }

    private static void requireReadable(Configuration given, ConfigOption<?> option) {
        try {
            given.get(option);
        } catch (IllegalArgumentException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalArgumentException(
                    "%s must be %s, got \"%s\": %s"
                            .formatted(
                                    option.key(),
                                    OptionType.of(option),
                                    given.toMap().get(option.key()),
                                    cause.getMessage()),
                    e);
        }
    }

    private Map<String, String> variables(Map<String, String> environment) {
        Map<String, String> byVariable = new TreeMap<>();
        known.keySet().forEach(key -> byVariable.put(variable(key), key));
        String clients = variable(KafkaOptions.CLIENT_PREFIX);
        Map<String, String> values = new TreeMap<>();
        for (String name : new TreeSet<>(environment.keySet())) {
            String key = byVariable.get(name);
            if (key != null) {
                values.put(key, environment.get(name));
            } else if (name.startsWith(clients)) {
                String property = name.substring(clients.length()).toLowerCase(Locale.ROOT);
                values.put(
                        KafkaOptions.CLIENT_PREFIX + property.replace('_', '.'),
                        environment.get(name));
            } else if (name.startsWith(VARIABLE_PREFIX)) {
                requireNoMistake(name, byVariable.keySet());
            }
        }
        return values;
    }

    /** Other programs have variables too; but one that looks like ours is ours, mistyped. */
    private static void requireNoMistake(String name, Set<String> variables) {
        Set<String> own =
                variables.stream()
                        .map(it -> it.substring(VARIABLE_PREFIX.length()))
                        .collect(Collectors.toSet());
        // Without what all have in common, which would make any two of them look alike.
        Spelling.nearest(name.substring(VARIABLE_PREFIX.length()), own)
                .ifPresent(
                        meant -> {
                            throw new IllegalArgumentException(
                                    "unknown variable %s; did you mean %s%s?"
                                            .formatted(name, VARIABLE_PREFIX, meant));
                        });
    }

    private static String suggestion(String word, Set<String> known) {
        return Spelling.nearest(word, known).map(it -> "; did you mean " + it + "?").orElse("");
    }

    /** The variable that overrides a key. */
    public static String variable(String key) {
        return VARIABLE_PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    private static Map<String, String> flatten(String yaml) {
        try {
            JsonNode root =
                    YAMLMapper.builder()
                            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                            .build()
                            .readTree(yaml);
            Map<String, String> values = new LinkedHashMap<>();
            if (!root.isMissingNode() && !root.isNull()) { // an empty file is all defaults
                flatten("", root, values);
            }
            return values;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "the file must be YAML: " + e.getOriginalMessage(), e);
        }
    }

    private static void flatten(String path, JsonNode node, Map<String, String> values) {
        if (node.isObject()) {
            node.properties()
                    .forEach(
                            field ->
                                    flatten(
                                            path.isEmpty()
                                                    ? field.getKey()
                                                    : path + "." + field.getKey(),
                                            field.getValue(),
                                            values));
        } else if (path.isEmpty()) {
            throw new IllegalArgumentException("the file must be a map of keys");
        } else if (!node.isValueNode() || node.isNull()) {
            throw new IllegalArgumentException(
                    "%s must be one value, got %s"
                            .formatted(path, node.isNull() ? "nothing" : "a list"));
        } else if (values.put(path, node.asText()) != null) {
            throw new IllegalArgumentException(path + " must be given once, got it twice");
        }
    }
}
