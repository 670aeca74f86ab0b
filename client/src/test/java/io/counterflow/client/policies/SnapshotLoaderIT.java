package io.counterflow.client.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SnapshotLoaderIT {

    private static final PolicySnapshot SNAPSHOT =
            PolicySnapshot.of("home", 3, DenseModel.zeros(2, 2), Optional.empty());

    @TempDir private Path directory;
    private SnapshotLoader loader = loader(SnapshotDirectory.none());

    @BeforeEach
    void start() throws IOException {
        Files.createDirectory(directory.resolve("storage"));
        loader = loader(SnapshotDirectory.of(directory.resolve("storage").toString()));
    }

    private static SnapshotLoader loader(SnapshotDirectory files) {
        return new SnapshotLoader(PolicyLimits.ofHeap(), files);
    }

    private Path stored(PolicySnapshot snapshot) throws IOException {
        Path file = directory.resolve("storage").resolve("stored snapshot");
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

    /** A sparse file of a few bytes can declare many parameters. */
    @Test
    void aFileIsMeasuredBeforeMemoryIsAllocatedForIt() throws IOException {
        PolicySnapshot many =
                PolicySnapshot.of(
                        "home",
                        3,
                        HashedModel.zeros(12),
                        PolicyStoreFixture.spec(1, "{\"bits\":12}").encoder());
        Path file = stored(many);
        PolicySnapshotRecord record =
                SnapshotConversion.toPointer(many, file.toUri().toString(), Files.size(file));
        PolicyLimits limits = new PolicyLimits(4L << 10, 1L << 30);
        SnapshotDirectory storage = SnapshotDirectory.of(directory.resolve("storage").toString());
        assertThatThrownBy(() -> new SnapshotLoader(limits, storage).load(record))
                .hasMessageContaining("serving.max-loop-size), got 16384");
        assertThat(loader.load(record).getVersion()).isEqualTo(3);
        Path large = Files.write(file.resolveSibling("large"), new byte[(1 << 20) + (8 << 10) + 1]);
        PolicySnapshotRecord whole = pointer(large, Files.size(large));
        assertThatThrownBy(() -> new SnapshotLoader(limits, storage).load(whole))
                .hasMessageContaining("must have at most 1056768 bytes (serving.max-loop-size)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:foo", "file:", "::", "", "file:///nowhere/%00", "foo"})
    void anAddressThatIsNoneIsRefused(String uri) {
        PolicySnapshotRecord record = SnapshotConversion.toPointer(SNAPSHOT, uri, 10);
        assertThatThrownBy(() -> loader.load(record)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1/snapshot",
                "s3://key:secret@bucket/snapshot",
                "file://key:secret@host/snapshot",
                "jar:file:///snapshot"
            })
    void onlyFilesOfThisMachineAreFollowed(String uri) {
        PolicySnapshotRecord record = SnapshotConversion.toPointer(SNAPSHOT, uri, 10);
        assertThatThrownBy(() -> loader.load(record))
                .hasMessage("the weights must be in a file: URI of this machine");
    }

    @Test
    void filesOutsideOfTheStorageDirectoryAreRefused() throws IOException {
        Path inside = stored(SNAPSHOT);
        long size = Files.size(inside);
        Path secret = Files.copy(inside, directory.resolve("secret"));
        Path beside = Files.createDirectory(directory.resolve("storage-of-others"));
        Path other = Files.copy(inside, beside.resolve("snapshot"));
        Path link = Files.createSymbolicLink(inside.resolveSibling("link"), secret);
        Path linked = Files.createSymbolicLink(inside.resolveSibling("linked"), beside);
        for (Path file :
                List.of(
                        secret,
                        other,
                        link,
                        linked.resolve("snapshot"),
                        inside.resolveSibling("..").resolve("secret"))) {
            assertThatThrownBy(() -> loader.load(pointer(file, size)))
                    .as(file.toString())
                    .hasMessageContaining("below storage.directory")
                    .hasMessageNotContaining("secret");
        }
        assertThatThrownBy(() -> loader.load(pointer(directory.resolve("storage"), size)))
                .hasMessageContaining("a regular file");
        assertThat(loader.load(pointer(inside, size)).getVersion()).isEqualTo(3);
    }

    @Test
    void theStorageDirectoryMayBeALink() throws IOException {
        Path inside = stored(SNAPSHOT);
        long size = Files.size(inside);
        Path link =
                Files.createSymbolicLink(directory.resolve("mount"), directory.resolve("storage"));
        for (String storage : List.of(link.toString(), link.toUri().toString())) {
            SnapshotLoader other = loader(SnapshotDirectory.of(storage));
            assertThat(other.load(pointer(inside, size)).getVersion()).isEqualTo(3);
            assertThat(other.load(pointer(link.resolve(inside.getFileName()), size)).getVersion())
                    .isEqualTo(3);
        }
    }

    @Test
    void withoutALocalDirectoryNoFileIsRead() throws IOException {
        Path inside = stored(SNAPSHOT);
        SnapshotLoader remote = loader(SnapshotDirectory.of("s3://bucket/counterflow"));
        assertThatThrownBy(() -> remote.load(pointer(inside, Files.size(inside))))
                .hasMessageContaining("storage.directory is not a directory of this machine");
    }
}
