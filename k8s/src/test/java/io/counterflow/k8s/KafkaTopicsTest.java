package io.counterflow.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Topics in manifests are those that the code would make. */
final class KafkaTopicsTest {

    @ParameterizedTest
    @EnumSource
    void thereAreTheTopicsOfTheCodeAndNoOthers(Overlay overlay) throws IOException {
        DeployedConfig config = DeployedConfig.of(overlay);
        assertThat(config.cluster().all("KafkaTopic").map(Manifest::name))
                .containsExactlyInAnyOrderElementsOf(
                        config.job().topics().names(List.of(Topic.values())));
    }

    @ParameterizedTest
    @EnumSource
    void eachHasItsPartitionsAndKeepsItsRecords(Overlay overlay) throws IOException {
        DeployedConfig config = DeployedConfig.of(overlay);
        for (Topic topic : Topic.values()) {
            String name = config.job().topics().name(topic);
            NewTopic made = config.job().topicSettings().toNewTopic(topic, name);
            Manifest manifest = config.cluster().the("KafkaTopic", name);
            assertThat(manifest.at("/spec/partitions").asInt())
                    .as(name)
                    .isEqualTo(made.numPartitions());
            assertThat(manifest.texts("/spec/config"))
                    .as(name)
                    .isEqualTo(new TreeMap<>(made.configs()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachHasAsManyCopiesAsThereAreBrokersForThem(Overlay overlay) throws IOException {
        Cluster cluster = overlay.render();
        int brokers =
                cluster.all("KafkaNodePool")
                        .filter(it -> it.at("/spec/roles").toString().contains("broker"))
                        .mapToInt(it -> it.at("/spec/replicas").asInt())
                        .sum();
        int inSync = cluster.the("Kafka").at("/spec/kafka/config/min.insync.replicas").asInt();
        assertThat(cluster.all("KafkaTopic").map(it -> it.at("/spec/replicas").asInt()))
                .allMatch(copies -> copies <= brokers && copies >= inSync)
                .allMatch(copies -> brokers == 1 || (copies == 3 && inSync == 2));
    }
}
