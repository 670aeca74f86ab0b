package io.counterflow.client.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is drawn and what is logged agree, by frequency and by drawing it again. */
final class RankerLawTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int DRAWS = 100_000;
    private static final double SHARE = 0.3;

    private static final String DENSE = "\"actions\":[\"a\",\"b\",\"c\",\"d\"],\"features\":3";
    private static final String HASHED = "\"bits\":10";
    private static final String MIXED =
            ",\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":0.5,"
                    + "\"propensityDraws\":20";

    /**
     * One way to decide.
     *
     * @param shape the spec's part on actions and features
     * @param rule the spec's part on decisions
     * @param excluded ids of excluded actions
     */
    record Way(String shape, String rule, List<String> excluded) {

        LoopSpec spec() {
            return PolicyStoreFixture.spec(1, "{" + shape + rule + "}");
        }

        LinearModel model(long seed) {
            EventRandom random = new EventRandom(seed);
            if (shape.equals(DENSE)) {
                float[][] weights = new float[4][3];
                for (float[] row : weights) {
                    for (int j = 0; j < row.length; j++) {
                        row[j] = (float) random.nextGaussian();
                    }
                }
                return new DenseModel(weights, new float[] {0.1f, 0, -0.1f, 0});
            }
            float[] weights = new float[1 << 10];
            for (int j = 0; j < weights.length; j++) {
                weights[j] = (float) random.nextGaussian();
            }
            return new HashedModel(10, weights);
        }

        RankRequest request() {
            return new RankRequest(Optional.empty(), context(), excluded, false);
        }

        private Context context() {
            if (shape.equals(DENSE)) {
                return new Context.Vector(DenseVector.owning(new float[] {0.3f, -0.7f, 0.5f}));
            }
            return new Context.Named(
                    named("country", "de"),
                    Stream.of("a", "b", "c", "d")
                            .map(id -> new NamedAction(id, named("topic", "t" + id)))
                            .toList());
        }

        private static NamedFeatures named(String name, String value) {
            return new NamedFeatures(
                    List.of(new NamedFeatures.Entry(name, new FeatureValue.Text(value))));
        }

        boolean isExact() {
            return !rule.contains("mixedLogit");
        }
    }

    static Stream<Way> ways() {
        String explored = ",\"explorationFloor\":0.2,\"inverseTemperature\":2.0";
        return Stream.of(DENSE, HASHED)
                .flatMap(
                        shape ->
                                Stream.of(
                                        new Way(shape, "", List.of()),
                                        new Way(shape, explored, List.of("b")),
                                        new Way(shape, MIXED + explored, List.of("c"))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void actionsAreDrawnAsOftenAsTheirPropensitiesSay(Way way) {
        LoopSpec spec = way.spec();
        ServedLoop loop =
                new PolicyStoreFixture()
                        .spec(spec)
                        .snapshot(PolicyStoreFixture.snapshot(spec, 1, way.model(11)))
                        .snapshot(PolicyStoreFixture.snapshot(spec, 2, way.model(22)))
                        .canary(1, 2, SHARE, 1)
                        .served();
        int[] drawn = new int[4];
        int[] byVersion = new int[2];
        double[] expected = new double[4];
        RankRequest request = way.request();
        for (int i = 0; i < DRAWS; i++) {
            RankedDecision ranked = Ranker.decide(loop, request, "e-" + i, NOW);
            Impression logged = ranked.impression();
            List<Double> distribution = logged.choice().distribution();
            int action = logged.choice().action();
            assertThat(logged.choice().propensity()).hasValue(distribution.get(action));
            assertThat(logged.choice().split()).hasValue(new Split(1, 2, SHARE));
            drawn[action]++;
            byVersion[version(ranked)]++;
            for (int a = 0; a < 4; a++) {
                expected[a] += distribution.get(a) / DRAWS;
            }
        }
        ChiSquare.assertFits(drawn, expected, way.toString());
        ChiSquare.assertFits(byVersion, new double[] {1 - SHARE, SHARE}, "share of the canary");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aDecisionCanBeTakenAgain(Way way) {
        LoopSpec spec = way.spec();
        LinearModel model = way.model(5);
        PolicyStoreFixture told =
                new PolicyStoreFixture()
                        .spec(spec)
                        .snapshot(PolicyStoreFixture.snapshot(spec, 7, model))
                        .active(7, 1);
        ServedLoop one = told.served();
        ServedLoop other =
                new PolicyStoreFixture()
                        .spec(spec)
                        .snapshot(PolicyStoreFixture.snapshot(spec, 7, model))
                        .active(7, 1)
                        .served();
        for (int i = 0; i < 200; i++) {
            RankedDecision first = Ranker.decide(one, way.request(), "e-" + i, NOW);
            RankedDecision again = Ranker.decide(other, way.request(), "e-" + i, NOW);
            assertThat(again.decision()).isEqualTo(first.decision());
            assertThat(first.impression().policyVersion()).isEqualTo(7);
            assertThat(first.decision().kind())
                    .isEqualTo(way.isExact() ? PropensityKind.EXACT : PropensityKind.ESTIMATED);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theBaselineDecidesItsShareOfTheEventsWithItsOwnPropensities(Way way) {
        LoopSpec spec =
                PolicyStoreFixture.spec(
                        1,
                        "{"
                                + way.shape()
                                + way.rule()
                                + ",\"holdoutShare\":0.2,\"holdoutVersion\":3}");
        ServedLoop shared =
                new PolicyStoreFixture()
                        .spec(spec)
                        .canary(1, 2, SHARE, 1) // first, so that no weights are dropped
                        .snapshot(PolicyStoreFixture.snapshot(spec, 1, way.model(11)))
                        .snapshot(PolicyStoreFixture.snapshot(spec, 3, way.model(33)))
                        .snapshot(PolicyStoreFixture.snapshot(spec, 2, way.model(22)))
                        .snapshot(PolicyStoreFixture.snapshot(spec, 4, way.model(44)))
                        .snapshot(PolicyStoreFixture.snapshot(spec, 5, way.model(55)))
                        .served();
        ServedLoop alone =
                new PolicyStoreFixture()
                        .spec(spec)
                        .snapshot(PolicyStoreFixture.snapshot(spec, 3, way.model(33)))
                        .active(3, 1)
                        .served();
        int[] held = new int[2];
        int[] canaries = new int[2];
        for (int i = 0; i < 5_000; i++) {
            RankedDecision ranked = Ranker.decide(shared, way.request(), "e-" + i, NOW);
            Impression logged = ranked.impression();
            boolean holdout = logged.choice().holdout();
            held[holdout ? 1 : 0]++;
            if (holdout) {
                assertThat(logged.policyVersion()).isEqualTo(3);
                assertThat(logged.choice().split()).isEmpty();
                assertThat(ranked.decision())
                        .isEqualTo(Ranker.decide(alone, way.request(), "e-" + i, NOW).decision());
            } else {
                assertThat(logged.choice().split()).hasValue(new Split(1, 2, SHARE));
                canaries[version(ranked)]++;
            }
        }
        ChiSquare.assertFits(held, new double[] {0.8, 0.2}, "share of the holdout");
        ChiSquare.assertFits(canaries, new double[] {1 - SHARE, SHARE}, "share of the canary");
    }

    @Test
    void theStartingPolicyDecidesTheHoldoutByDefault() {
        LoopSpec spec = PolicyStoreFixture.spec(1, "{" + DENSE + ",\"holdoutShare\":0.5}");
        Way way = new Way(DENSE, "", List.of());
        ServedLoop loop =
                new PolicyStoreFixture()
                        .spec(spec)
                        .snapshot(PolicyStoreFixture.snapshot(spec, 1, way.model(11)))
                        .active(1, 1)
                        .served();
        int held = 0;
        for (int i = 0; i < 100; i++) {
            Impression logged = Ranker.decide(loop, way.request(), "e-" + i, NOW).impression();
            assertThat(logged.policyVersion()).isEqualTo(logged.choice().holdout() ? 0 : 1);
            if (logged.choice().holdout()) {
                assertThat(logged.choice().propensity()).hasValue(0.25);
                held++;
            }
        }
        assertThat(held).isBetween(30, 70);
    }

    @Test
    void withoutItsBaselineALoopIsDegradedAndLogsNoHoldout() {
        LoopSpec spec =
                PolicyStoreFixture.spec(
                        1, "{" + DENSE + ",\"holdoutShare\":0.5,\"holdoutVersion\":9}");
        Way way = new Way(DENSE, "", List.of());
        ServedLoop loop = new PolicyStoreFixture().spec(spec).served();
        assertThat(loop.degradedReason()).hasValue("holdout version 9 has not been loaded");
        for (int i = 0; i < 20; i++) {
            Impression logged = Ranker.decide(loop, way.request(), "e-" + i, NOW).impression();
            assertThat(logged.choice().holdout()).isFalse();
            assertThat(logged.policyVersion()).isZero();
        }
    }

    /** A loop of that name whose versions 1 and 2 share the events. */
    private static ServedLoop shared(String name, Way way, long seed) {
        LoopSpec spec = PolicyStoreFixture.spec(name, 1, "{" + way.shape() + way.rule() + "}");
        return new PolicyStoreFixture(name)
                .spec(spec)
                .snapshot(PolicyStoreFixture.snapshot(spec, 1, way.model(seed)))
                .snapshot(PolicyStoreFixture.snapshot(spec, 2, way.model(seed)))
                .canary(1, 2, SHARE, 1)
                .served();
    }

    /** Every pair of cells, one of each loop, is as frequent as the product of both says. */
    @Test
    void twoLoopsThatShareEventIdsDrawIndependently() {
        Way way = new Way(DENSE, "", List.of());
        ServedLoop home = shared("home", way, 11);
        ServedLoop mail = shared("mail", way, 22);
        double[] ofHome = new double[4];
        double[] ofMail = new double[4];
        int[] actions = new int[16];
        int[] versions = new int[4];
        for (int i = 0; i < 10_000; i++) {
            RankedDecision here = Ranker.decide(home, way.request(), "e-" + i, NOW);
            RankedDecision there = Ranker.decide(mail, way.request(), "e-" + i, NOW);
            actions[4 * here.decision().action() + there.decision().action()]++;
            versions[2 * version(here) + version(there)]++;
            ofHome = here.decision().distribution();
            ofMail = there.decision().distribution();
        }
        double[] shares = {1 - SHARE, SHARE};
        ChiSquare.assertFits(actions, product(ofHome, ofMail), "actions of both loops");
        ChiSquare.assertFits(versions, product(shares, shares), "canaries of both loops");
    }

    private static int version(RankedDecision decision) {
        return (int) decision.impression().policyVersion() - 1;
    }

    private static double[] product(double[] one, double[] other) {
        double[] product = new double[one.length * other.length];
        for (int i = 0; i < product.length; i++) {
            product[i] = one[i / other.length] * other[i % other.length];
        }
        return product;
    }

    @Test
    void excludedActionsHaveNoProbabilityAndTheOthersHaveAllOfIt() {
        Way way = new Way(DENSE, "", List.of("a", "d"));
        ServedLoop loop = new PolicyStoreFixture().spec(way.spec()).served();
        Impression logged = Ranker.decide(loop, way.request(), "e", NOW).impression();
        assertThat(logged.choice().distribution()).containsExactly(0.0, 0.5, 0.5, 0.0);
        assertThat(logged.choice().allowed()).isEqualTo(AllowedActions.allBut(0, 3));
        assertThat(logged.choice().propensity().orElseThrow()).isCloseTo(0.5, within(1e-15));
    }

    @Test
    void aLongDistributionIsNotLogged() {
        Way way = new Way(DENSE, ",\"distributionLimit\":3", List.of());
        ServedLoop loop = new PolicyStoreFixture().spec(way.spec()).served();
        RankedDecision ranked = Ranker.decide(loop, way.request(), "e", NOW);
        assertThat(ranked.impression().choice().distribution()).isEmpty();
        assertThat(ranked.decision().distribution()).hasSize(4);
    }

    @Test
    void anUpperBoundIsLoggedAsOne() {
        Way way =
                new Way(
                        DENSE,
                        ",\"policy\":\"mixedLogit\",\"propensityKind\":\"upperBound\","
                                + "\"variance\":0.5",
                        List.of());
        ServedLoop loop = new PolicyStoreFixture().spec(way.spec()).served();
        Impression logged = Ranker.decide(loop, way.request(), "e", NOW).impression();
        assertThat(logged.choice().propensityKind()).isEqualTo(PropensityKind.UPPER_BOUND);
        assertThat(logged.choice().distribution()).isEmpty();
    }

    @Test
    void whatDoesNotFitTheLoopIsNamed() {
        ServedLoop loop =
                new PolicyStoreFixture().spec(new Way(DENSE, "", List.of()).spec()).served();
        assertRefused(loop, vector(1f, 2f), List.of(), "context must have 3 features, got 2");
        assertRefused(
                loop,
                vector(1f, 2f, 3f),
                List.of("nobody"),
                "excludedActions must be ids of actions, got 1 unknown ids");
        assertRefused(
                loop,
                vector(1f, 2f, 3f),
                List.of("a", "b", "c", "d"),
                "excludedActions must leave at least 1 action, got all 4");
        assertRefused(
                loop,
                new Context.Named(NamedFeatures.none(), List.of()),
                List.of(),
                "context must be a vector of 3 features, got named features");
        assertRefused(
                loop,
                vector(1e20f, 0f, 0f),
                List.of(),
                "context must have features of a norm up to 1e15");
        ServedLoop hashed =
                new PolicyStoreFixture().spec(new Way(HASHED, "", List.of()).spec()).served();
        assertRefused(
                hashed,
                new Context.Named(NamedFeatures.none(), List.of()),
                List.of(),
                "actions must be given, because the loop has no fixed list");
    }

    private static Context vector(float... values) {
        return new Context.Vector(DenseVector.owning(values));
    }

    private static void assertRefused(
            ServedLoop loop, Context context, List<String> excluded, String message) {
        RankRequest request = new RankRequest(Optional.empty(), context, excluded, false);
        assertThatThrownBy(() -> Ranker.decide(loop, request, "e", NOW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
