package io.counterflow.cli.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class JobJarsTest {

    @Test
    void theJarsOfFlinkItselfAreNotSubmitted() {
        assertThat(
                        JobJars.of(
                                new String[] {
                                    "lib/counterflow-flink-jobs-0.1.jar",
                                    "lib/counterflow-core-0.1-tests.jar",
                                    "lib/flink-runtime-2.2.1.jar",
                                    "lib/flink-connector-kafka-5.0.0-2.2.jar",
                                    "lib/kafka-clients-4.2.2.jar",
                                    "lib/kafka_2.13-4.2.2.jar",
                                    "counterflow-core-classes"
                                }))
                .extracting(it -> it.substring(it.lastIndexOf('/') + 1))
                .containsExactly(
                        "counterflow-flink-jobs-0.1.jar",
                        "flink-connector-kafka-5.0.0-2.2.jar",
                        "kafka-clients-4.2.2.jar");
    }

    @Test
    void aClassPathWithoutTheJobIsRefused() {
        assertThatThrownBy(
                        () -> JobJars.of(new String[] {"lib/kafka-clients-4.2.2.jar", "classes"}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("the job's jar must be on the class path");
    }
}
