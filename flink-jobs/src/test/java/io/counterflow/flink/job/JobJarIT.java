package io.counterflow.flink.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The jar that a cluster is given. */
final class JobJarIT {

    private static final long LARGEST = 40_000_000;

    private JarFile jar;
    private List<String> names;

    @BeforeEach
    void open() throws IOException {
        try (Stream<Path> built = Files.list(Path.of("target"))) {
            List<Path> jars =
                    built.filter(it -> it.getFileName().toString().matches("counterflow-job-.*jar"))
                            .toList();
            assertThat(jars).hasSize(1);
            jar = new JarFile(jars.get(0).toFile());
        }
        names = jar.stream().map(JarEntry::getName).toList();
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    @Test
    void startsWithTheJobsMainClass() throws IOException {
        assertThat(jar.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS))
                .isEqualTo(Main.class.getName());
        assertThat(names).contains(Main.class.getName().replace('.', '/') + ".class");
    }

    @Test
    void hasWhatTheClusterLacksAndNothingThatItHas() {
        assertThat(names)
                .contains(
                        "org/apache/flink/connector/kafka/source/KafkaSource.class",
                        "org/apache/kafka/clients/producer/KafkaProducer.class",
                        "org/apache/avro/Schema.class",
                        "org/ejml/data/DMatrixRMaj.class",
                        "com/fasterxml/jackson/dataformat/yaml/YAMLFactory.class",
                        "net/jpountz/lz4/LZ4Factory.class",
                        "io/counterflow/core/loop/LearningLoop.class",
                        "io/counterflow/schemas/record/PolicySnapshotRecord.class")
                .noneMatch(name -> name.startsWith("org/slf4j/"))
                .noneMatch(name -> name.startsWith("org/apache/logging/"))
                .noneMatch(name -> name.startsWith("org/rocksdb/"))
                .noneMatch(name -> name.startsWith("org/apache/flink/runtime/"))
                .noneMatch(name -> name.startsWith("org/apache/flink/api/"))
                .noneMatch(name -> name.startsWith("org/apache/flink/state/api/"))
                .noneMatch(name -> name.startsWith("org/apache/flink/connector/base/"))
                .noneMatch(name -> name.startsWith("org/junit/"));
    }

    @Test
    void isOneJarWithoutSignaturesAndWithMergedServices() throws IOException {
        assertThat(names)
                .noneMatch(name -> name.matches("META-INF/[^/]+\\.(SF|DSA|RSA)"))
                .noneMatch(name -> name.endsWith("module-info.class"));
        Set<String> files = new HashSet<>();
        assertThat(names.stream().filter(name -> !files.add(name))).isEmpty();
        String factories =
                new String(
                        jar.getInputStream(
                                        jar.getEntry(
                                                "META-INF/services/com.fasterxml.jackson.core.JsonFactory"))
                                .readAllBytes(),
                        java.nio.charset.StandardCharsets.UTF_8);
        assertThat(factories)
                .contains("com.fasterxml.jackson.core.JsonFactory")
                .contains("com.fasterxml.jackson.dataformat.yaml.YAMLFactory");
    }

    @Test
    void isThinAndTheSameWheneverItIsBuilt() throws IOException {
        assertThat(Files.size(Path.of(jar.getName()))).isLessThan(LARGEST);
        assertThat(
                        jar.stream()
                                .filter(entry -> entry.getName().startsWith("io/counterflow/"))
                                .map(JarEntry::getTimeLocal)
                                .distinct())
                .as("times of our entries come from project.build.outputTimestamp")
                .hasSize(1);
    }
}
