package io.counterflow.flink.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.config.JobConfig;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CounterflowJobTest {

    private static final JobConfig CONFIG =
            JobConfig.parse("kafka.bootstrap-servers: nowhere:1\njob.parallelism: 2", Map.of());

    private static StreamGraph graph(RunMode mode) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.configure(FlinkSettings.of(CONFIG, mode));
        KafkaStreams kafka = new KafkaStreams(env, CONFIG);
        JobSinks sinks = JobSinks.of(CONFIG, mode);
        if (mode == RunMode.LIVE) {
            CounterflowJob.live(kafka.feedback(), CONFIG, sinks);
        } else {
            CounterflowJob.replay(kafka.journal(), CONFIG, sinks);
        }
        return env.getStreamGraph();
    }

    @ParameterizedTest
    @EnumSource
    void everyOperatorHasAnIdentityOfItsOwnAndANameAndAMaximumParallelism(RunMode mode) {
        Set<String> uids = new HashSet<>();
        StreamGraph graph = graph(mode);
        for (StreamNode node : graph.getStreamNodes()) {
            assertThat(node.getTransformationUID()).as(node.getOperatorName()).isNotBlank();
            assertThat(uids.add(node.getTransformationUID()))
                    .as("%s twice", node.getTransformationUID())
                    .isTrue();
            assertThat(node.getOperatorName()).isNotBlank();
        }
        for (JobVertex vertex : graph.getJobGraph().getVertices()) {
            assertThat(vertex.getMaxParallelism()).as(vertex.getName()).isEqualTo(128);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsWrittenByKryo(RunMode mode) {
        StreamGraph graph = graph(mode); // building it without generic types is half of the test
        assertThat(
                        ((SerializerConfigImpl) graph.getExecutionConfig().getSerializerConfig())
                                .hasGenericTypesDisabled())
                .isTrue();
        for (StreamNode node : graph.getStreamNodes()) {
            TypeSerializer<?> out = node.getTypeSerializerOut();
            if (out != null) {
                assertThat(out).as(node.getOperatorName()).isNotInstanceOf(KryoSerializer.class);
            }
        }
    }

    @Test
    void recordsOfLoopsDoNotCrossTheNetwork() {
        for (RunMode mode : RunMode.values()) {
            assertThat(graph(mode).getJobGraph().getVertices())
                    .as("%s", mode)
                    .anyMatch(
                            it ->
                                    it.getName().contains("Learn and roll out")
                                            && it.getName().contains("Write results"));
        }
    }

    @Test
    void stateSurvivesACancellation() {
        var flink = FlinkSettings.of(CONFIG, RunMode.LIVE);
        assertThat(flink.get(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION))
                .isEqualTo(ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        assertThat(flink.get(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)).isTrue();
    }
}
