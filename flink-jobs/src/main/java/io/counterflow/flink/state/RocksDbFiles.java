package io.counterflow.flink.state;

import java.util.Collection;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Limits the manifest of RocksDB, the list of changes of its files. Each checkpoint adds to it and
 * stores all of it. RocksDB starts a new one at 1 GB only, so checkpoints would become larger as
 * long as the job runs.
 */
public final class RocksDbFiles implements RocksDBOptionsFactory {

    private static final long serialVersionUID = 1L;

    /** RocksDB starts a new manifest, which has the current files only, above this size. */
    static final long MAX_MANIFEST_BYTES = 1 << 20;

    @Override
    public DBOptions createDBOptions(DBOptions current, Collection<AutoCloseable> toClose) {
        return current.setMaxManifestFileSize(MAX_MANIFEST_BYTES);
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
            ColumnFamilyOptions current, Collection<AutoCloseable> toClose) {
        return current;
    }
}
