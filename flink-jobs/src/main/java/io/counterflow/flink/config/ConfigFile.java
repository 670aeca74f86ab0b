package io.counterflow.flink.config;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.text.DurationText;
import io.counterflow.schemas.config.ConfigVariables;
import io.counterflow.schemas.config.YamlKeys;
import io.counterflow.schemas.text.Spelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
        Map<String, String> values = YamlKeys.read(yaml);
        values.keySet().removeIf(key -> key.startsWith(OTHER_PROCESS));
        values.keySet().forEach(this::requireKnown);
        values.putAll(ConfigVariables.read(environment, known.keySet()));
        values.replaceAll(this::inFlinksForm);
        Configuration given = Configuration.fromMap(values);
        known.values().forEach(option -> requireReadable(given, option));
        return new JobConfigReader(given).read();
    }

    /** Durations are written one way everywhere; Flink reads only those of one unit. */
    private String inFlinksForm(String key, String text) {
        ConfigOption<?> option = known.get(key);
        if (option == null || !(option.defaultValue() instanceof Duration)) {
            return text;
        }
        try {
            return Require.wholeMillis(DurationText.parse(text), key).toMillis() + "ms";
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s must be %s, got \"%s\"".formatted(key, OptionType.of(option), text), e);
        }
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

    private static String suggestion(String word, Set<String> known) {
        return Spelling.nearest(word, known).map(it -> "; did you mean " + it + "?").orElse("");
    }

    /** The variable that overrides a key. */
    public static String variable(String key) {
        return ConfigVariables.of(key);
    }
}
