package io.counterflow.schemas.topics;

import io.counterflow.core.numeric.Require;
import java.io.Serializable;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The connection to Kafka.
 *
 * @param bootstrapServers host:port of some brokers, separated by commas
 * @param clientProperties settings of all Kafka clients, such as those for security, as Kafka names
 *     them. They may hold secrets, so they are not part of {@link #toString}
 */
public record KafkaConfig(String bootstrapServers, TreeMap<String, String> clientProperties)
        implements Serializable {

    public KafkaConfig(String bootstrapServers, Map<String, String> clientProperties) {
        this(bootstrapServers, new TreeMap<>(clientProperties));
    }

    public KafkaConfig {
        Require.that(!bootstrapServers.isBlank(), "bootstrapServers must be given, got none");
        clientProperties = new TreeMap<>(clientProperties);
    }

    /** Settings for any client, as a new map. */
    public Properties properties() {
        Properties properties = new Properties();
        properties.putAll(clientProperties);
        properties.setProperty("bootstrap.servers", bootstrapServers);
        return properties;
    }

    @Override
    public String toString() {
        return "KafkaConfig[" + bootstrapServers + ", " + clientProperties.keySet() + "]";
    }
}
