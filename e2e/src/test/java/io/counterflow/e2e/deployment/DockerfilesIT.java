package io.counterflow.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dockerfiles agree with the project, and mistakes in them are found. */
final class DockerfilesIT {

    @ParameterizedTest
    @ValueSource(strings = {"docker/serving.Dockerfile", "docker/job.Dockerfile"})
    void theFilesOfAnImageExistAfterTheBuild(String file) throws Exception {
        assertThat(DockerfileRules.complaints(Project.read(file), Project.version())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "USER 10001:10001|USER app|USER must be uid:gid",
                "USER 10001:10001|USER 0:0|USER must be uid:gid",
                "FROM ${JRE_IMAGE}|FROM eclipse-temurin:17|every base image must be an ARG",
                "17.0.16_8-jre-noble|latest|must have a tag",
                "VERSION=0.1|VERSION=0.0|VERSION must be",
                "counterflow-client-|counterflow-clients-|is not there after the build",
                "cli/target/traffic-lib/|cli/target/trafficlib/|is not there after the build",
                "serving.Main|serving.Nothing|is not a class with a main method",
                "CMD [\"--config\",|CMD --config [|must be a list",
                "ARG REVISION=unknown|ARG API_TOKEN=abc|must have no secrets",
                "ARG JRE_IMAGE|# syntax=docker/dockerfile:1 ARG JRE_IMAGE|syntax line"
            })
    void aMistakeIsFound(String right, String wrong, String complaint) throws Exception {
        String text = Project.read("docker/serving.Dockerfile");
        assertThat(text).contains(right);
        assertThat(DockerfileRules.complaints(text.replace(right, wrong), Project.version()))
                .anyMatch(it -> it.contains(complaint));
    }

    @Test
    void servingHasNoLibrariesOfFlinkAndOfTheBroker() throws Exception {
        try (Stream<java.nio.file.Path> jars =
                Files.list(Project.ROOT.resolve("serving/target/lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString()))
                    .isNotEmpty()
                    .noneMatch(
                            name ->
                                    name.startsWith("flink-")
                                            || name.startsWith("kafka_")
                                            || name.startsWith("scala-")
                                            || name.startsWith("counterflow-"));
        }
    }
}
