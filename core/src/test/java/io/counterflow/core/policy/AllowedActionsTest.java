package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.numeric.EventRandom;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AllowedActionsTest {

    @Test
    void everyActionIsAllowedUnlessExcluded() {
        AllowedActions allowed = AllowedActions.allBut(4, 1, 4);
        assertThat(allowed.isAll()).isFalse();
        assertThat(allowed.excluded()).containsExactly(1, 4);
        assertThat(allowed.count(6)).isEqualTo(4);
        for (int a = 0; a < 6; a++) {
            assertThat(allowed.contains(a)).as("action %d", a).isEqualTo(a != 1 && a != 4);
        }
        assertThat(allowed).hasToString("all but [1, 4]");
    }

    @Test
    void excludingNothingAllowsAll() {
        assertThat(AllowedActions.allBut()).isSameAs(AllowedActions.ALL);
        assertThat(AllowedActions.ALL.isAll()).isTrue();
        assertThat(AllowedActions.ALL.excluded()).isEmpty();
        assertThat(AllowedActions.ALL.count(7)).isEqualTo(7);
        assertThat(AllowedActions.ALL.contains(Integer.MAX_VALUE)).isTrue();
        assertThat(AllowedActions.ALL.positionOf(3)).isEqualTo(3);
        assertThat(AllowedActions.ALL).hasToString("all actions");
    }

    @Test
    void setsAreEqualIfTheyExcludeTheSameActions() {
        assertThat(AllowedActions.allBut(2, 0))
                .isEqualTo(AllowedActions.allBut(0, 2, 2))
                .hasSameHashCodeAs(AllowedActions.allBut(0, 2))
                .isNotEqualTo(AllowedActions.allBut(0))
                .isNotEqualTo(AllowedActions.ALL);
    }

    @Test
    void positionsAreCopiedInAndOut() {
        int[] positions = {2, 0};
        AllowedActions allowed = AllowedActions.allBut(positions);
        positions[0] = 1;
        allowed.excluded()[0] = 5;
        assertThat(allowed).isEqualTo(AllowedActions.allBut(0, 2));
        assertThat(positions).as("not sorted in place").containsExactly(1, 0);
    }

    @Test
    void gatheringMovesTheAllowedToTheHeadAndScatteringBack() {
        AllowedActions allowed = AllowedActions.allBut(0, 2, 5);
        double[] values = {10, 11, 12, 13, 14, 15, 99};
        allowed.gather(values, 6);
        assertThat(Arrays.copyOf(values, 3)).containsExactly(11, 13, 14);
        allowed.scatter(values, 6);
        assertThat(values).containsExactly(0, 11, 0, 13, 14, 0, 99);
    }

    @Test
    void whereAllAreAllowedNothingMoves() {
        double[] values = {3, 1, 2};
        AllowedActions.ALL.gather(values, 2);
        AllowedActions.ALL.scatter(values, 2);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void gatherScatterCountAndPositionsAgreeForDrawnSets(long seed) {
        EventRandom random = new EventRandom(seed);
        for (int repetition = 0; repetition < 100; repetition++) {
            int actions = 1 + random.nextInt(12);
            AllowedActions allowed = DrawnModels.allowed(actions, random);
            double[] values = new double[actions];
            Arrays.setAll(values, a -> 1.0 + a);
            allowed.gather(values, actions);
            int kept = 0;
            for (int a = 0; a < actions; a++) {
                if (allowed.contains(a)) {
                    assertThat(allowed.positionOf(a)).isEqualTo(kept);
                    assertThat(values[kept++]).isEqualTo(1.0 + a);
                }
            }
            assertThat(allowed.count(actions)).isEqualTo(kept);
            allowed.scatter(values, actions);
            for (int a = 0; a < actions; a++) {
                assertThat(values[a]).isEqualTo(allowed.contains(a) ? 1.0 + a : 0.0);
            }
        }
    }

    @Test
    void refusesARequestThatItDoesNotFit() {
        assertThatCode(() -> AllowedActions.ALL.requireWithin(1)).doesNotThrowAnyException();
        assertThatCode(() -> AllowedActions.allBut(0, 1).requireWithin(3))
                .doesNotThrowAnyException();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllowedActions.allBut(0, 3).requireWithin(3))
                .withMessage("excludedActions must be below 3, the number of actions, got 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllowedActions.allBut(0, 1, 2).requireWithin(3))
                .withMessage("excludedActions must leave at least 1 action, got all 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllowedActions.allBut(3, -2))
                .withMessage("excludedActions must be at least 0, got -2");
    }
}
