package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DemoDirectoryIT {

    @TempDir private Path temp;

    private DemoDirectory open(long seed, boolean fresh) throws IOException {
        return DemoDirectory.open(temp.resolve("demo"), Dataset.SYNTHETIC, seed, fresh);
    }

    @Test
    void eventNumbersContinueAfterARestart() throws IOException {
        try (DemoDirectory first = open(1, false)) {
            assertThat(first.continued()).isFalse();
            assertThat(first.takeEventNumber()).isEqualTo(1);
            assertThat(first.takeEventNumber()).isEqualTo(2);
        }
        try (DemoDirectory second = open(1, false)) {
            assertThat(second.continued()).isTrue();
            assertThat(second.events()).isEqualTo(2);
            assertThat(second.takeEventNumber()).isEqualTo(3);
        }
    }

    @Test
    void noEventNumberIsUsedTwiceAfterACrash() throws IOException {
        Path note = temp.resolve("demo").resolve("demo.properties");
        DemoDirectory crashed = open(1, false);
        long last = 0;
        for (int i = 0; i < 120_000; i++) {
            last = crashed.takeEventNumber();
        }
        String left = Files.readString(note);
        crashed.close();
        Files.writeString(note, left); // as after a crash
        try (DemoDirectory next = open(1, false)) {
            assertThat(next.takeEventNumber()).isGreaterThan(last);
        }
    }

    @Test
    void anotherSeedOrDatasetIsRefusedWithAdvice() throws IOException {
        open(1, false).close();
        assertThatThrownBy(() -> open(2, false))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--seed 1, and 2 was requested")
                .hasMessageContaining("--fresh");
        assertThatThrownBy(
                        () ->
                                DemoDirectory.open(
                                        temp.resolve("demo"), Dataset.FASHION_MNIST, 1, false))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--dataset synthetic, and fashion-mnist was requested");
    }

    @Test
    void freshStartsOver() throws IOException {
        try (DemoDirectory first = open(1, false)) {
            first.takeEventNumber();
            Files.createDirectories(first.data().kafka().resolve("topic-0"));
            Files.writeString(first.data().kafka().resolve("topic-0").resolve("log"), "x");
        }
        try (DemoDirectory second = open(2, true)) {
            assertThat(second.continued()).isFalse();
            assertThat(second.takeEventNumber()).isEqualTo(1);
            assertThat(second.data().kafka()).doesNotExist();
        }
    }

    @Test
    void freshDeletesOnlyTheFilesOfADemo() throws IOException {
        open(1, false).close();
        Path root = temp.resolve("demo");
        for (String ours : List.of("demo.log", "demo.log.1", "serving.log")) {
            Files.writeString(root.resolve(ours), "x");
        }
        Files.createDirectories(root.resolve("flink").resolve("state"));
        Path file = Files.writeString(root.resolve("thesis.tex"), "x");
        Path folder = Files.createDirectories(root.resolve("pictures"));
        Path inside = Files.writeString(folder.resolve("kafka"), "x");
        Path alike = Files.writeString(root.resolve("demo.log.txt"), "x");
        Path elsewhere = Files.createDirectories(temp.resolve("elsewhere"));
        Path linked = Files.writeString(elsewhere.resolve("file"), "x");
        Files.createSymbolicLink(root.resolve("kafka"), elsewhere);
        open(2, true).close();
        assertThat(List.of(file, inside, alike, linked)).allMatch(Files::exists);
        assertThat(root.toFile().list())
                .containsExactlyInAnyOrder(
                        "demo.lock", "demo.properties", "demo.log.txt", "pictures", "thesis.tex");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "colour=green\n",
                "dataset=synthetic\nseed=1\n",
                "dataset=synthetic\nseed=1\nnext-event=soon\n",
                "dataset=\\uzzzz\n"
            })
    void aPropertiesFileOfAnotherProgramIsNotADemo(String theirs) throws IOException {
        Path root = Files.createDirectories(temp.resolve("demo"));
        Files.writeString(root.resolve("demo.properties"), theirs);
        Path kafka = Files.createDirectories(root.resolve("kafka"));
        assertThatThrownBy(() -> open(1, true))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("has other files in it");
        assertThat(kafka).exists();
        assertThat(root.resolve("demo.properties")).hasContent(theirs);
    }

    @Test
    void twoDemosInOneDirectoryAreRefused() throws IOException {
        try (DemoDirectory first = open(1, false)) {
            assertThat(first.events()).isZero();
            assertThatThrownBy(() -> open(1, true))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining("another demo runs in");
        }
    }

    @Test
    void aDirectoryWithOtherFilesIsNotUsed() throws IOException {
        Path theirs = Files.createDirectories(temp.resolve("demo")).resolve("thesis.tex");
        Files.writeString(theirs, "x");
        assertThatThrownBy(() -> open(1, true))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("has other files in it");
        assertThat(theirs).exists();
    }
}
