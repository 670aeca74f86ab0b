package io.counterflow.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.topics.Topic;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The topics of the manifests are the topics that the code would create. */
@Timeout(60)
final class KafkaTopicsIT {

    @ParameterizedTest
    @EnumSource
    void theTopicsAreThoseOfTheCode(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        assertThat(config.cluster().all("KafkaTopic").map(Manifest::name))
                .containsExactlyInAnyOrderElementsOf(
                        config.job().topics().names(List.of(Topic.values())));
    }

    @ParameterizedTest
    @EnumSource
    void everyTopicHasThePartitionsAndSettingsOfTheCode(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        for (Topic topic : Topic.values()) {
            String name = config.job().topics().name(topic);
            NewTopic created = config.job().topicSettings().toNewTopic(topic, name);
            Manifest manifest = config.cluster().the("KafkaTopic", name);
            assertThat(manifest.at("/spec/partitions").asInt())
                    .as(name)
                    .isEqualTo(created.numPartitions());
            assertThat(manifest.texts("/spec/config"))
                    .as(name)
                    .isEqualTo(new TreeMap<>(created.configs()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyTopicHasAsManyReplicasAsTheBrokersAllow(Overlay overlay) throws Exception {
        Cluster cluster = overlay.render();
        int brokers =
                cluster.all("KafkaNodePool")
                        .filter(it -> it.at("/spec/roles").toString().contains("broker"))
                        .mapToInt(it -> it.at("/spec/replicas").asInt())
                        .sum();
        int inSync = cluster.the("Kafka").at("/spec/kafka/config/min.insync.replicas").asInt();
        assertThat(cluster.all("KafkaTopic").map(it -> it.at("/spec/replicas").asInt()))
                .allMatch(replicas -> replicas <= brokers && replicas >= inSync)
                .allMatch(replicas -> brokers == 1 || (replicas == 3 && inSync == 2));
    }
}
