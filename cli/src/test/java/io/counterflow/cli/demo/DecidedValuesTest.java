package io.counterflow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.traffic.NewsWorld;
import io.counterflow.cli.traffic.RewardPlan;
import io.counterflow.cli.traffic.World;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DecidedValuesTest {

    private final World world = new NewsWorld(1);
    private final DemoHistory history = new DemoHistory(world.loop(), 0.6, 0.1, 1, 0.2);
    private final DecidedValues values = new DecidedValues(world, history);

    private void freeze(long version) {
        values.frozen(
                PolicySnapshot.of(
                        world.loop(),
                        version,
                        world.spec().startingModel(),
                        world.spec().encoder()));
    }

    private Set<Long> known() {
        return history.of(world.loop()).orElseThrow().versions().keySet();
    }

    @Test
    void aVersionIsValuedWhenItDecides() {
        freeze(2);
        freeze(3);
        assertThat(known()).containsExactly(1L);
        history.rollout(DemoHistoryTest.change(1, RolloutKindRecord.PROMOTED, 3, 0.3));
        values.settle();
        assertThat(known()).containsExactlyInAnyOrder(1L, 3L);
        double starting =
                RewardPlan.COUNTED
                        * world.valueOf(world.spec().policyOf(world.spec().startingModel()));
        assertThat(history.generations().get(1).trueValue()).hasValue(starting);
    }

    /** As after a start, when rollouts are read before snapshots. */
    @Test
    void aVersionThatHasDecidedIsValuedWhenItComes() {
        history.rollout(DemoHistoryTest.change(1, RolloutKindRecord.PROMOTED, 3, 0.3));
        values.settle();
        freeze(2);
        freeze(3);
        assertThat(known()).containsExactlyInAnyOrder(1L, 3L);
    }

    @Test
    void aCandidateIsWaitedForHoweverManyComeAfterIt() {
        freeze(2);
        freeze(3);
        RolloutRecord judged = DemoHistoryTest.change(1, RolloutKindRecord.CANDIDATE, 1, null);
        judged.setCandidateVersion(3L);
        history.rollout(judged);
        for (int i = 0; i <= DecidedValues.MAX_WAITING; i++) {
            freeze(4 + i);
        }
        history.rollout(DemoHistoryTest.change(2, RolloutKindRecord.PROMOTED, 3, 0.3));
        history.rollout(DemoHistoryTest.change(3, RolloutKindRecord.PROMOTED, 2, 0.3));
        values.settle();
        assertThat(known()).as("2 was let go").containsExactlyInAnyOrder(1L, 3L);
    }
}
