package io.counterflow.client.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SnapshotLoaderIT {

    private static final PolicySnapshot SNAPSHOT =
            PolicySnapshot.of("home", 3, DenseModel.zeros(2, 2), Optional.empty());

    @TempDir private Path directory;
    private final SnapshotLoader loader = new SnapshotLoader(PolicyLimits.ofHeap());

    private Path stored(PolicySnapshot snapshot) throws IOException {
        Path file = directory.resolve("stored snapshot");
        SnapshotFile.write(file, snapshot);
        return file;
    }

    private static PolicySnapshotRecord pointer(Path file, long size) {
        return SnapshotConversion.toPointer(SNAPSHOT, file.toUri().toString(), size);
    }

    @Test
    void whatARecordPointsToIsLoaded() throws IOException {
        Path file = stored(SNAPSHOT);
        assertThat(loader.load(pointer(file, Files.size(file))).getVersion()).isEqualTo(3);
    }

    @Test
    void aFileThatWasChangedOrCutOffIsRefused() throws IOException {
        Path file = stored(SNAPSHOT);
        byte[] content = Files.readAllBytes(file);
        PolicySnapshotRecord record = pointer(file, content.length);
        for (int i = 0; i < content.length; i++) {
            byte[] changed = content.clone();
            changed[i] ^= 1;
            Files.write(file, changed);
            assertThatThrownBy(() -> loader.load(record))
                    .as("byte " + i)
                    .isInstanceOf(IOException.class);
        }
        Files.write(file, Arrays.copyOf(content, content.length - 1));
        assertThatThrownBy(() -> loader.load(record)).hasMessageContaining("the file must have");
        Files.delete(file);
        assertThatThrownBy(() -> loader.load(record)).isInstanceOf(IOException.class);
    }

    @Test
    void anotherSnapshotThanTheRecordSaysIsRefused() throws IOException {
        Path file = stored(PolicySnapshot.of("home", 4, DenseModel.zeros(2, 2), Optional.empty()));
        assertThatThrownBy(() -> loader.load(pointer(file, Files.size(file))))
                .hasMessageContaining("another checksum");
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:foo", "file:", "::", "", "file:///nowhere/%00", "foo"})
    void anAddressThatIsNoneIsRefused(String uri) {
        PolicySnapshotRecord record = SnapshotConversion.toPointer(SNAPSHOT, uri, 10);
        assertThatThrownBy(() -> loader.load(record)).isInstanceOf(IOException.class);
    }

    @Test
    void onlyFilesAreFollowed() {
        PolicySnapshotRecord record =
                SnapshotConversion.toPointer(SNAPSHOT, "http://127.0.0.1/snapshot", 10);
        assertThatThrownBy(() -> loader.load(record))
                .hasMessage(
                        "the weights must be in a file: URI that this machine can read, got http:");
    }
}
