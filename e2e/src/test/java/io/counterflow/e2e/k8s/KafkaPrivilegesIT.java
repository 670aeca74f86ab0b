package io.counterflow.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.loops.KafkaSpecLog;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each Kafka user has exactly the privileges that its program needs. */
@Timeout(60)
final class KafkaPrivilegesIT {

    private static final List<String> DESCRIBE = List.of("Describe", "DescribeConfigs");

    /** Resources with their allowed operations. */
    private static Map<String, Set<String>> allowed(Manifest user) {
        Map<String, Set<String>> allowed = new TreeMap<>();
        for (JsonNode acl : user.at("/spec/authorization/acls")) {
            JsonNode resource = acl.get("resource");
            Set<String> operations =
                    allowed.computeIfAbsent(
                            "%s %s %s"
                                    .formatted(
                                            resource.get("type").asText(),
                                            resource.get("patternType").asText(),
                                            resource.get("name").asText()),
                            it -> new TreeSet<>());
            acl.get("operations").forEach(it -> operations.add(it.asText()));
            assertThat(acl.path("host").asText("*")).isEqualTo("*");
            assertThat(acl.path("type").asText("allow")).isEqualTo("allow");
        }
        return allowed;
    }

    private static Set<String> operations(boolean read, boolean write) {
        List<String> operations = new ArrayList<>(DESCRIBE);
        if (read) {
            operations.add("Read");
        }
        if (write) {
            operations.add("Write");
        }
        return new TreeSet<>(operations);
    }

    @ParameterizedTest
    @EnumSource
    void theJobMayReadItsInputsAndWriteItsOutputs(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        Map<String, Set<String>> expected = new TreeMap<>();
        for (Topic topic : Topic.values()) {
            String name = config.job().topics().name(topic);
            boolean written = RunMode.LIVE.written().contains(topic);
            boolean read = RunMode.LIVE.read().contains(topic);
            // To list the open transactions of a topic, a user must be allowed to read it.
            expected.put("topic literal " + name, operations(read || written, written));
        }
        expected.put("group literal " + config.job().name(), Set.of("Describe", "Read"));
        expected.put(
                "transactionalId prefix "
                        + config.job().sink().transactionalIdPrefix(config.job().topics()),
                Set.of("Describe", "Write"));
        assertThat(allowed(config.cluster().the("KafkaUser", "counterflow-job")))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void servingMayWriteEventsAndReadTheOutputsOfTheJob(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        Set<Topic> written =
                EnumSet.of(Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS);
        // The journal, late records and dead letters have the features of users.
        Set<Topic> read =
                EnumSet.of(
                        Topic.LOOPS,
                        Topic.POLICY_SNAPSHOTS,
                        Topic.ROLLOUTS,
                        Topic.IPS_STATS,
                        Topic.LOOP_COUNTS);
        Map<String, Set<String>> expected = new TreeMap<>();
        for (Topic topic : Topic.values()) {
            expected.put(
                    "topic literal " + config.serving().topics().name(topic),
                    operations(read.contains(topic), written.contains(topic)));
        }
        expected.put("group literal " + config.serving().jobName(), Set.of("Describe"));
        expected.put(
                "transactionalId prefix "
                        + KafkaSpecLog.transactionalIdPrefix(config.serving().topics()),
                Set.of("Describe", "Write"));
        assertThat(allowed(config.cluster().the("KafkaUser", "counterflow-serving")))
                .isEqualTo(expected);
    }
}
