package io.counterflow.flink.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardMetric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class RewardRuleEvaluationTest {

    private static final List<TimedReward> REWARDS =
            List.of(
                    new TimedReward("b", 10, 0.5, RewardMetric.REWARD),
                    new TimedReward("a", 10, 0.25, RewardMetric.REWARD),
                    new TimedReward("d", 20, 0.125, RewardMetric.REWARD),
                    new TimedReward("c", 20, 0.375, RewardMetric.REWARD));

    @ParameterizedTest
    @CsvSource({"FIRST, 0.25", "LAST, 0.125", "SUM, 1.0", "MAX, 0.5"})
    void tiesInTimeAreBrokenByIdAndSumsAreCapped(RewardAggregation aggregation, double expected) {
        assertThat(RewardRuleEvaluation.evaluate(aggregation, 0.75, 0.0, REWARDS))
                .isEqualTo(expected);
    }

    @Test
    void aSumBelowOneIsNotCapped() {
        assertThat(
                        RewardRuleEvaluation.evaluate(
                                RewardAggregation.SUM, 0.75, 0.0, REWARDS.subList(0, 2)))
                .isEqualTo(0.75);
    }

    /** As with the range [-1, 1]: rewards of 0, −0.5, −0.75 and −0.25. */
    @Test
    void aSumIsTakenAroundTheRewardOfNothing() {
        assertThat(RewardRuleEvaluation.evaluate(RewardAggregation.SUM, 0.5, 0.5, REWARDS))
                .isEqualTo(0.0);
        assertThat(
                        RewardRuleEvaluation.evaluate(
                                RewardAggregation.SUM, 0.5, 0.5, REWARDS.subList(0, 2)))
                .isEqualTo(0.25);
    }

    @ParameterizedTest
    @EnumSource(RewardAggregation.class)
    void withoutRewardsTheDefaultApplies(RewardAggregation aggregation) {
        assertThat(RewardRuleEvaluation.evaluate(aggregation, 0.75, 0.0, List.of()))
                .isEqualTo(0.75);
    }

    @ParameterizedTest
    @EnumSource(RewardAggregation.class)
    void theOrderOfArrivalDoesNotChangeABit(RewardAggregation aggregation) {
        Random random = new Random(7);
        List<TimedReward> rewards = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // sums of such values depend on their order
            rewards.add(
                    new TimedReward(
                            "r" + i,
                            random.nextInt(5),
                            random.nextDouble() / 30.0,
                            RewardMetric.REWARD));
        }
        double inOrder = RewardRuleEvaluation.evaluate(aggregation, 0.0, 0.0, rewards);
        for (int shuffle = 0; shuffle < 100; shuffle++) {
            Collections.shuffle(rewards, random);
            assertThat(RewardRuleEvaluation.evaluate(aggregation, 0.0, 0.0, rewards))
                    .as("shuffle %d of seed 7", shuffle)
                    .isEqualTo(inOrder);
        }
    }
}
