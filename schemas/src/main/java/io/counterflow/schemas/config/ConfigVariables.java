package io.counterflow.schemas.config;

import io.counterflow.schemas.text.Spelling;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the environment says about keys: the variable of {@code kafka.topic-prefix} is {@code
 * COUNTERFLOW_KAFKA_TOPIC_PREFIX}.
 */
public final class ConfigVariables {

    /** What variables start with. */
    public static final String PREFIX = "COUNTERFLOW_";

    /** What follows this in a key is a setting of all Kafka clients, as Kafka names it. */
    public static final String KAFKA_CLIENT = "kafka.client.";

    private ConfigVariables() {}

    /** The variable that overrides a key. */
    public static String of(String key) {
        return PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /**
     * Keys with the values that variables give them.
     *
     * @param known the keys that there are; what looks like one of them, mistyped, is refused
     */
    public static Map<String, String> read(Map<String, String> environment, Set<String> known) {
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
                requireNoMistake(name, byVariable.keySet());
            }
        }
        return values;
    }

    /** Other programs have variables too; but one that looks like ours is ours, mistyped. */
    private static void requireNoMistake(String name, Set<String> variables) {
        Set<String> own =
                variables.stream()
                        .map(it -> it.substring(PREFIX.length()))
                        .collect(Collectors.toSet());
        // Without what all have in common, which would make any two of them look alike.
        Spelling.nearest(name.substring(PREFIX.length()), own)
                .ifPresent(
                        meant -> {
                            throw new IllegalArgumentException(
                                    "unknown variable %s; did you mean %s%s?"
                                            .formatted(name, PREFIX, meant));
                        });
    }
}
