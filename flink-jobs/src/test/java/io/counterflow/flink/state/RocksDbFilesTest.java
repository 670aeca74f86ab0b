package io.counterflow.flink.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

final class RocksDbFilesTest {

    @TempDir private Path directory;

    /** A column family that is created and dropped adds to the manifest and leaves nothing. */
    @Test
    void theManifestDoesNotGrowWithTheNumberOfChanges() throws Exception {
        RocksDB.loadLibrary();
        byte[] name = new byte[40_000];
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (DBOptions options =
                        new RocksDbFiles()
                                .createDBOptions(
                                        new DBOptions().setCreateIfMissing(true),
                                        new ArrayList<>());
                ColumnFamilyOptions columns = new ColumnFamilyOptions();
                RocksDB db =
                        RocksDB.open(
                                options,
                                directory.toString(),
                                List.of(
                                        new ColumnFamilyDescriptor(
                                                RocksDB.DEFAULT_COLUMN_FAMILY, columns)),
                                handles)) {
            for (int i = 0; i < 60; i++) { // 2.4 MB of changes
                name[0] = (byte) i;
                try (ColumnFamilyHandle family =
                        db.createColumnFamily(new ColumnFamilyDescriptor(name.clone(), columns))) {
                    db.dropColumnFamily(family);
                }
            }
            assertThat(manifestBytes()).isLessThan(RocksDbFiles.MAX_MANIFEST_BYTES + 100_000);
            handles.forEach(ColumnFamilyHandle::close);
        }
    }

    private long manifestBytes() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(it -> it.getFileName().toString().startsWith("MANIFEST"))
                    .mapToLong(RocksDbFilesTest::size)
                    .max()
                    .orElseThrow();
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
