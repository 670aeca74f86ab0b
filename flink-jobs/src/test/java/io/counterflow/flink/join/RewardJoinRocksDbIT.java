package io.counterflow.flink.join;

import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;

/** The join on the state backend that the job uses; an IT because RocksDB writes files. */
final class RewardJoinRocksDbIT {

    @Test
    void aRestartBetweenAnyTwoStepsChangesNothing() throws Exception {
        RewardJoinLawTest.assertRestartsChangeNothing(
                new DrawnArrivals(200, 5).shuffled(200), new EmbeddedRocksDBStateBackend());
    }
}
