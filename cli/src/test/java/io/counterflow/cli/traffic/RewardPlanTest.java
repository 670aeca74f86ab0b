package io.counterflow.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

final class RewardPlanTest {

    private static final int USERS = 50_000;

    private static List<List<RewardPlan.Due>> plans() {
        EventRandom random = new EventRandom(11);
        List<List<RewardPlan.Due>> plans = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            plans.add(RewardPlan.draw(random));
        }
        return plans;
    }

    private static double share(Predicate<List<RewardPlan.Due>> kind) {
        return (double) plans().stream().filter(kind).count() / USERS;
    }

    @Test
    void theDocumentedShareOfRewardsCounts() {
        double counted = share(plan -> plan.stream().anyMatch(it -> !it.isLate()));
        double error = 4.0 * Math.sqrt(RewardPlan.COUNTED * (1 - RewardPlan.COUNTED) / USERS);
        assertThat(counted).isCloseTo(RewardPlan.COUNTED, within(error));
    }

    @Test
    void someRewardsAreMissingLateDuplicatedOrFollowedByAnother() {
        assertThat(share(List::isEmpty)).isBetween(0.01, 0.03);
        assertThat(share(plan -> plan.stream().anyMatch(RewardPlan.Due::isLate)))
                .isBetween(0.01, 0.03);
        assertThat(share(plan -> plan.size() == 2 && plan.get(1).number() == 1))
                .isBetween(0.03, 0.07);
        assertThat(share(plan -> plan.size() == 2 && plan.get(1).number() == 2))
                .isBetween(0.02, 0.04);
    }

    /** Otherwise the second reward might count. */
    @Test
    void theFirstRewardIsOneAndArrivesBeforeTheOthers() {
        for (List<RewardPlan.Due> plan : plans()) {
            if (!plan.isEmpty()) {
                assertThat(plan.get(0).value()).isEqualTo(1.0);
                assertThat(plan).allMatch(it -> it.delayMs() >= plan.get(0).delayMs());
            }
        }
    }

    @Test
    void rewardsThatCountArriveWellBeforeTheEndOfTheWindow() {
        for (List<RewardPlan.Due> plan : plans()) {
            assertThat(plan)
                    .allMatch(it -> it.isLate() || it.delayMs() <= RewardPlan.WINDOW_MS - 1_000);
        }
    }
}
