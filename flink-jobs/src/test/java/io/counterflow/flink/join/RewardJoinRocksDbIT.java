package io.counterflow.flink.join;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;

/** The join on the state backend that the job uses; an IT because RocksDB writes files. */
final class RewardJoinRocksDbIT {

    @Test
    void aRestartBetweenAnyTwoStepsChangesNothing() throws Exception {
        for (JoinConfig config : new JoinConfig[] {JoinHarness.CONFIG, JoinHarness.SMALL}) {
            RewardJoinLawTest.assertRestartsChangeNothing(
                    new DrawnArrivals(200, 5).shuffled(200),
                    config,
                    new EmbeddedRocksDBStateBackend());
        }
    }

    @Test
    void aChangeOfParallelismKeepsEachDecision() throws Exception {
        RewardJoinStateTest.assertRescaled(new EmbeddedRocksDBStateBackend());
    }

    @Test
    void impressionsThatAreNotOnTheHeapAreRead() throws Exception {
        try (JoinHarness join =
                JoinHarness.open(JoinHarness.SMALL, new EmbeddedRocksDBStateBackend())) {
            for (DrawnArrivals.Step step : new DrawnArrivals(3, 200).shuffled(3)) {
                step.on(join);
            }
            assertThat(join.examples()).hasSizeGreaterThan(50);
            assertThat(join.readBytes()).isPositive();
            assertThat(join.waiting()).isZero();
        }
    }
}
