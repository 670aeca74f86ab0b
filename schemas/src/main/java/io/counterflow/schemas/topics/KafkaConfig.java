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
 * @param compression compression of all written records
 * @param values encoding of all values on topics
 */
public record KafkaConfig(
        String bootstrapServers,
        TreeMap<String, String> clientProperties,
        Compression compression,
        ValueEncoding values)
        implements Serializable {

    public KafkaConfig(
            String bootstrapServers,
            Map<String, String> clientProperties,
            Compression compression,
            ValueEncoding values) {
        this(bootstrapServers, new TreeMap<>(clientProperties), compression, values);
    }

    /** Without compression, and with the values as they are. */
    public KafkaConfig(String bootstrapServers, Map<String, String> clientProperties) {
        this(
                bootstrapServers,
                clientProperties,
                Compression.NONE,
                ValueEncoding.SingleObject.INSTANCE);
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

    /** Settings for any idempotent producer that waits for all replicas, as a new map. */
    public Properties producerProperties() {
        Properties properties = properties();
        properties.setProperty("acks", "all");
        properties.setProperty("enable.idempotence", "true");
        properties.setProperty("compression.type", compression.type());
        return properties;
    }

    @Override
    public String toString() {
        return "KafkaConfig[" + bootstrapServers + ", " + clientProperties.keySet() + "]";
    }
}
