package io.counterflow.flink.windows;

import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;

/** Windows on the state backend that the job uses; an IT because RocksDB writes files. */
final class IpsWindowsRocksDbIT {

    @Test
    void aRestartAfterEveryStepChangesNoByte() throws Exception {
        IpsWindowsLawTest.assertRestartsChangeNothing(
                200, 40, 1, new EmbeddedRocksDBStateBackend());
    }
}
