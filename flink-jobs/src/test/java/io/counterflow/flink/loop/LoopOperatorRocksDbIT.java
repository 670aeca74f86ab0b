package io.counterflow.flink.loop;

import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;

/** Loops on the state backend that the job uses; an IT because RocksDB writes files. */
final class LoopOperatorRocksDbIT {

    @Test
    void aRestartAfterEveryStepChangesNothing() throws Exception {
        LoopOperatorLawTest.assertRestartsChangeNothing(
                11, 1, LoopOperatorLawTest.FEW_VERSIONS, new EmbeddedRocksDBStateBackend());
    }

    @Test
    void aRestartChangesNothingIfLoopsDoNotFitInMemory() throws Exception {
        LoopOperatorLawTest.assertRestartsChangeNothing(
                12, 25, LoopOperatorLawTest.TINY, new EmbeddedRocksDBStateBackend());
    }
}
