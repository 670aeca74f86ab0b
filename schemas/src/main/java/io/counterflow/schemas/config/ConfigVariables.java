package io.counterflow.schemas.config;

import io.counterflow.schemas.text.Spelling;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Values from environment variables. The variable of {@code kafka.topic-prefix} is {@code
 * COUNTERFLOW_KAFKA_TOPIC_PREFIX}.
 */
final class ConfigVariables {

    private static final String PREFIX = "COUNTERFLOW_";

    /** Prefix of keys that are passed to all Kafka clients. */
    static final String KAFKA_CLIENT = "kafka.client.";

    private ConfigVariables() {}

    /** The variable that overrides a key. */
    static String of(String key) {
        return PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /**
     * Returns the keys that are set by variables, with their values.
     *
     * @param known the known keys; a variable that looks like one of them, misspelled, is an error
     */
    static Map<String, String> read(Map<String, String> environment, Set<String> known) {
        Map<String, String> byVariable = new TreeMap<>();
        known.forEach(key -> byVariable.put(of(key), key));
        String clients = of(KAFKA_CLIENT);
        Map<String, String> values = new TreeMap<>();
        for (String name : new TreeSet<>(environment.keySet())) {
            String key = byVariable.get(name);
            if (key != null) {
                values.put(key, environment.get(name));
            } else if (name.startsWith(clients)) {
                String property = name.substring(clients.length()).toLowerCase(Locale.ROOT);
                values.put(KAFKA_CLIENT + property.replace('_', '.'), environment.get(name));
            } else if (name.startsWith(PREFIX)) {
                requireNotMisspelled(name, byVariable.keySet());
            }
        }
        return values;
    }

    /** Other programs may use variables with our prefix, so only misspelled ones are errors. */
    private static void requireNotMisspelled(String name, Set<String> variables) {
        // Compares names without the prefix, which would make any two of them look similar.
        Set<String> suffixes =
                variables.stream()
                        .map(it -> it.substring(PREFIX.length()))
                        .collect(Collectors.toSet());
        Spelling.nearest(name.substring(PREFIX.length()), suffixes)
                .ifPresent(
                        nearest -> {
                            throw new IllegalArgumentException(
                                    "unknown variable %s; did you mean %s%s?"
                                            .formatted(name, PREFIX, nearest));
                        });
    }
}
