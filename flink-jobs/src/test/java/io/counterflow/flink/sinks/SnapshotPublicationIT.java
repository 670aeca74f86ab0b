package io.counterflow.flink.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An IT because large snapshots become files. */
final class SnapshotPublicationIT {

    private static final int MAX_INLINE_BYTES = 1_000;

    private final WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);

    @TempDir private Path directory;

    private static PolicySnapshot snapshot(int features) {
        return new PolicySnapshot(
                "home",
                7,
                OptionalLong.of(6),
                Instant.parse("2026-01-01T00:00:00Z"),
                DenseModel.zeros(2, features),
                Optional.empty(),
                DecisionRule.PLAIN,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                Training.none(),
                Optional.empty());
    }

    private List<OutgoingRecord> publish(PolicySnapshot snapshot) throws Exception {
        SinkConfig config =
                new SinkConfig(
                        "job",
                        Duration.ofMinutes(10),
                        1_000_000,
                        MAX_INLINE_BYTES,
                        directory.resolve("snapshots").toUri().toString());
        List<OutgoingRecord> records = new ArrayList<>();
        try (SnapshotPublication publication =
                new SnapshotPublication(config, new UnregisteredMetricsGroup())) {
            publication.publish(snapshot, "c.snapshots", records::add);
            publication.await();
        }
        return records;
    }

    @Test
    void aFileThatCannotBeWrittenFailsTheCheckpoint() throws Exception {
        Files.createFile(directory.resolve("snapshots")); // where the directory should be
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> publish(snapshot(500)))
                .withMessageContaining("a snapshot cannot be written");
    }

    private List<Path> files() throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void aSmallSnapshotIsPublishedUnderItsLoopAndUnderItsVersion() throws Exception {
        PolicySnapshot small = snapshot(3);
        List<OutgoingRecord> records = publish(small);

        assertThat(records)
                .extracting(it -> new String(it.key(), StandardCharsets.UTF_8))
                .containsExactly("home", "home@7");
        for (OutgoingRecord record : records) {
            assertThat(record.topic()).isEqualTo("c.snapshots");
            assertThat(codec.decode(Objects.requireNonNull(record.value())))
                    .isEqualTo(SnapshotConversion.toRecord(small));
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void aLargeSnapshotIsAFileAndWhatIsPublishedPointsToIt() throws Exception {
        PolicySnapshotRecord large = SnapshotConversion.toRecord(snapshot(500));
        List<OutgoingRecord> records = publish(snapshot(500));

        assertThat(records).hasSize(2);
        assertThat(records.get(0).value()).isEqualTo(records.get(1).value());
        PolicySnapshotRecord pointer = codec.decode(Objects.requireNonNull(records.get(0).value()));
        SnapshotConversion.verify(pointer);
        assertThat(pointer.getModel()).isNull();
        assertThat(pointer.getPointer().getChecksum()).isEqualTo(large.getChecksum());
        Path file = Path.of(URI.create(pointer.getPointer().getUri()));
        assertThat(Files.size(file)).isEqualTo(pointer.getPointer().getSize());
        assertThat(codec.decode(Files.readAllBytes(file))).isEqualTo(large);
        assertThat(file.getFileName().toString())
                .isEqualTo("7-" + large.getChecksum() + ".snapshot");
    }

    @Test
    void publishingAgainAfterAFailureGivesTheSameBytesAndNoSecondFile() throws Exception {
        List<OutgoingRecord> first = publish(snapshot(500));
        Path file = files().get(0);
        Files.write(file, new byte[] {1}); // as a file system without atomic writes would leave it
        List<OutgoingRecord> again = publish(snapshot(500));

        assertThat(again.get(0).value()).isEqualTo(first.get(0).value());
        assertThat(files()).containsExactly(file);
        assertThat(codec.decode(Files.readAllBytes(file)))
                .isEqualTo(SnapshotConversion.toRecord(snapshot(500)));
    }
}
