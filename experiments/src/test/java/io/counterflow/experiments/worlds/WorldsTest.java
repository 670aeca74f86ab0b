package io.counterflow.experiments.worlds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class WorldsTest {

    private static WorldRun run(WorldKind kind, int events) {
        return new WorldRun(kind, seed -> kind.world(seed, Optional.empty()), events, 3);
    }

    private static WorldShares shares(WorldRun run, Function<World, Agent> agents) {
        double[][] references = run.references(steps -> {});
        return new WorldShares(
                List.of(run.rewards(agents, steps -> {})),
                List.of(references[0]),
                List.of(references[1]));
    }

    /** Always decides with the starting policy. */
    private record Start(Policy policy) implements Agent {

        static Agent of(World world) {
            var spec = LoopAgent.spec(world).build();
            return new Start(spec.policyOf(spec.startingModel()));
        }

        @Override
        public Choice decide(Request request, EventRandom random) {
            return new Choice(policy.decide(request.features(), request.allowed(), random), 0);
        }

        @Override
        public void learn(Request request, Choice choice, double reward) {}
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "F")
    void aSeedGivesTheSameRequestsAndRoomForImprovement(WorldKind kind) {
        double[][] once = run(kind, 2_000).references(steps -> {});
        double[][] again = run(kind, 2_000).references(steps -> {});
        assertThat(again[0]).isEqualTo(once[0]);
        assertThat(again[1]).isEqualTo(once[1]);
        for (int part = 0; part < WorldRun.PARTS; part++) {
            assertThat(once[1][part]).isGreaterThan(1.5 * once[0][part]).isLessThan(0.7);
        }
    }

    @Test
    void theUniformPolicyHasNoShare() {
        assertThat(shares(run(WorldKind.D_DENSE, 2_000), Start::of).average().mean())
                .isCloseTo(0.0, within(1e-9));
    }

    @Test
    void theGoodStartIsWhereItShouldBeAndTheWrongOneIsNot() {
        assertThat(shares(run(WorldKind.B, 4_000), Start::of).average().mean())
                .isCloseTo(0.917, within(0.02));
        assertThat(shares(run(WorldKind.POOR, 4_000), Start::of).average().mean()).isLessThan(0.2);
    }

    @Test
    void vectorsAndNamedFeaturesAreTheSameWorld() {
        World dense = WorldKind.D_DENSE.world(5, Optional.empty());
        World hashed = WorldKind.D_HASHED.world(5, Optional.empty());
        for (int i = 0; i < 100; i++) {
            Request one = dense.next();
            Request other = hashed.next();
            assertThat(other.bestValue()).isEqualTo(one.bestValue());
            assertThat(other.allowed()).isEqualTo(one.allowed());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IMMEDIATE", "REWARD_MODEL", "LOGISTIC"})
    void learnersImprove(Contestant contestant) {
        WorldShares shares = shares(run(WorldKind.D_DENSE, 5_000), contestant::agent);
        assertThat(shares.last().mean()).isGreaterThan(0.5);
    }

    @Test
    void aGatedLoopKeepsAGoodStart() {
        WorldShares shares = shares(run(WorldKind.B, 10_000), Contestant.GATED::agent);
        assertThat(shares.last().mean()).isGreaterThan(0.85);
    }

    @Test
    void sharesAndRecoveryAreThoseOfTheParts() {
        double[] rewards = new double[WorldRun.PARTS];
        Arrays.fill(rewards, 0, 20, 0.3); // half of the way
        Arrays.fill(rewards, 20, 23, 0.1);
        Arrays.fill(rewards, 23, 36, 0.29); // 0.95 of it
        Arrays.fill(rewards, 36, 40, 0.5);
        double[] uniform = new double[WorldRun.PARTS];
        Arrays.fill(uniform, 0.1);
        double[] best = new double[WorldRun.PARTS];
        Arrays.fill(best, 0.5);
        WorldShares shares = new WorldShares(List.of(rewards), List.of(uniform), List.of(best));
        assertThat(shares.last().mean()).isCloseTo(1.0, within(1e-12));
        assertThat(shares.average().mean())
                .isCloseTo((20 * 0.5 + 13 * 0.475 + 4) / 40, within(1e-12));
        assertThat(shares.recovery(20)).hasValue(4);
        assertThat(shares.recovery(38)).hasValue(1);
    }
}
