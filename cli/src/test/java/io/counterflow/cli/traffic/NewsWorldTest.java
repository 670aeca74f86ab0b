package io.counterflow.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import org.junit.jupiter.api.Test;

final class NewsWorldTest {

    private static final int VISITS = 100_000;
    private static final double STANDARD_ERRORS = 4.0;

    private final NewsWorld world = new NewsWorld(1);
    private final FeatureAssembly assembly = world.spec().assembly();

    private Features features(World.Visit visit) {
        return assembly.features(visit.context(), world.spec().fixedActions());
    }

    /** Mean reward of simulated visits. */
    private double simulated(Policy policy, long seed) {
        EventRandom random = new EventRandom(seed);
        AllowedActions all = AllowedActions.ALL;
        int rewards = 0;
        for (int i = 0; i < VISITS; i++) {
            World.Visit visit = world.visit(random);
            int action = policy.decide(features(visit), all, random).action();
            double read = visit.rewardProbability().applyAsDouble(action);
            rewards += random.nextDouble() < read ? 1 : 0;
        }
        return (double) rewards / VISITS;
    }

    private static double standardErrors(double value) {
        return STANDARD_ERRORS * Math.sqrt(value * (1.0 - value) / VISITS);
    }

    @Test
    void theValueOfAPolicyIsTheMeanRewardOfItsVisits() {
        Policy first = world.spec().policyOf(world.spec().startingModel());
        double value = world.valueOf(first);
        assertThat(simulated(first, 5)).isCloseTo(value, within(standardErrors(value)));
    }

    @Test
    void theUniformValueIsThatOfTheUniformPolicy() {
        Policy uniform = world.spec().policyOf(world.spec().shape().zeros());
        assertThat(world.valueOf(uniform)).isCloseTo(world.uniform(), within(1e-9));
        assertThat(simulated(uniform, 6))
                .isCloseTo(world.uniform(), within(standardErrors(world.uniform())));
    }

    @Test
    void theStartingPolicyIsBetterThanUniformAndFarFromTheBest() {
        double first = world.valueOf(world.spec().policyOf(world.spec().startingModel()));
        assertThat(first).isGreaterThan(world.uniform()).isLessThan(world.best() / 2);
    }

    @Test
    void theStartingPolicyShowsFresherArticlesMoreOften() {
        Policy first = world.spec().policyOf(world.spec().startingModel());
        double[] shown = new double[world.spec().fixedActions().size()];
        first.probabilities(features(world.visit(new EventRandom(1))), AllowedActions.ALL, shown);
        for (int a = 1; a < shown.length; a++) {
            assertThat(shown[a]).isLessThan(shown[a - 1]);
        }
    }

    @Test
    void theRatesAreThoseOfANewsPage() {
        assertThat(world.uniform()).isBetween(0.03, 0.04);
        assertThat(world.best()).isBetween(0.08, 0.10);
    }

    @Test
    void mostSettingsOfTheLoopHaveTheirDefaults() {
        LoopSpec defaults = LoopSpec.builder(world.loop()).names(12).build();
        assertThat(LoopSettings.ALL)
                .filteredOn(it -> !world.spec().get(it).equals(defaults.get(it)))
                .extracting(Setting::name)
                .containsExactlyInAnyOrder(
                        "actions",
                        "interactions",
                        "attributionWindow",
                        "rolloutMode",
                        "startingPolicy");
    }

    @Test
    void theSeedDeterminesTheWorld() {
        assertThat(new NewsWorld(1).best()).isEqualTo(world.best());
        assertThat(new NewsWorld(2).best()).isNotEqualTo(world.best());
        assertThat(new NewsWorld(2).spec()).isEqualTo(world.spec());
    }

    @Test
    void theAttributionWindowIsThatOfTheRewardPlan() {
        assertThat(world.spec().rewardRule().attributionWindow().toMillis())
                .isEqualTo(RewardPlan.WINDOW_MS);
    }
}
