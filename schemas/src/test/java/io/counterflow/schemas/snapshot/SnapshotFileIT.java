package io.counterflow.schemas.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.Draws;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SnapshotFileIT {

    @TempDir private Path folder = Path.of("");

    static LongStream seeds() {
        return LongStream.range(0, 30);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void bothFormatsAreReadForAnyFileName(long seed) throws IOException {
        PolicySnapshot snapshot = new Draws(seed).snapshot();
        Path avro = folder.resolve("a");
        Path json = folder.resolve("b");
        SnapshotFile.write(avro, snapshot);
        Files.writeString(json, "\n " + SnapshotJson.toJson(snapshot, true) + "\n");
        assertThat(SnapshotConversion.toRecord(SnapshotFile.read(avro)))
                .isEqualTo(SnapshotConversion.toRecord(snapshot));
        assertThat(SnapshotConversion.toRecord(SnapshotFile.read(json)))
                .isEqualTo(SnapshotConversion.toRecord(snapshot));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(avro, json);
        }
    }

    @Test
    void anInvalidFileIsRefusedWithItsName() throws IOException {
        Path file = folder.resolve("policy");
        SnapshotFile.write(file, new Draws(1).snapshot());
        byte[] whole = Files.readAllBytes(file);
        assertRefused(file, Arrays.copyOf(whole, whole.length - 1), "ends too early");
        assertRefused(file, new byte[0], "got 0 other bytes");
        assertRefused(file, "hello".getBytes(StandardCharsets.UTF_8), "5 other");
    }

    private static void assertRefused(Path file, byte[] content, String message)
            throws IOException {
        Files.write(file, content);
        assertThatExceptionOfType(InvalidSnapshotException.class)
                .isThrownBy(() -> SnapshotFile.read(file))
                .withMessageStartingWith(file + ": ")
                .withMessageContaining(message);
    }
}
