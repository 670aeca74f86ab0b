package io.counterflow.e2e.shared;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topics;
import java.util.Map;

/**
 * The broker that all test classes of this process share, with a topic prefix of its own for each
 * test that asks for it. Tests that stop, secure or restart a broker start their own.
 *
 * @param bootstrapServers address of the broker
 * @param prefix prefix of topics, and name of the job, that no other test uses
 */
public record SharedKafka(String bootstrapServers, String prefix) {

    /** Lines of configuration for the job and for serving. */
    public String settings() {
        return """
        kafka.bootstrap-servers: %s
        kafka.topic-prefix: %s
        job.name: %s
        """
                .formatted(bootstrapServers, prefix, prefix);
    }

    public KafkaConfig config() {
        return new KafkaConfig(bootstrapServers, Map.of());
    }

    public Topics topics() {
        return new Topics(prefix);
    }
}
