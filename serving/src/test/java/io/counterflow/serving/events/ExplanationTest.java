package io.counterflow.serving.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ExplanationTest {

    private static final NamedFeatures USER =
            named("age", new FeatureValue.Quantity(2.0), "city", new FeatureValue.Text("Ulm"));
    private static final NamedFeatures CONTEXT =
            named("mobile", new FeatureValue.Flag(true), "user", USER);
    private static final List<NamedAction> ACTIONS =
            List.of(
                    new NamedAction("a", named("price", new FeatureValue.Quantity(3.0))),
                    new NamedAction("b", named("price", new FeatureValue.Quantity(0.5))));

    private final ServedLoop loop =
            new PolicyStoreFixture().spec(PolicyStoreFixture.spec(1, "{\"bits\":10}")).served();
    private final HashedModel model = new HashedModel(10, weights(1 << 10));

    private static float[] weights(int count) {
        Random random = new Random(7);
        float[] weights = new float[count];
        for (int i = 0; i < count; i++) {
            weights[i] = (float) random.nextGaussian();
        }
        return weights;
    }

    private static NamedFeatures named(String name, FeatureValue value) {
        return new NamedFeatures(List.of(new NamedFeatures.Entry(name, value)));
    }

    private static NamedFeatures named(
            String name, FeatureValue value, String other, FeatureValue otherValue) {
        return new NamedFeatures(
                List.of(
                        new NamedFeatures.Entry(name, value),
                        new NamedFeatures.Entry(other, otherValue)));
    }

    private double[] scores(NamedFeatures context) {
        Features features = loop.features(new Context.Named(context, ACTIONS));
        double[] scores = new double[2];
        model.scores(features, scores);
        return scores;
    }

    private static double contribution(Explanation explanation, int action, String feature) {
        return explanation.contributions().orElseThrow().get(action).stream()
                .filter(it -> it.feature().equals(feature))
                .mapToDouble(Explanation.Contribution::value)
                .sum();
    }

    @Test
    void aHashedFeatureContributesItsWeightsTimesItsValuesByName() {
        Explanation explained = Explanation.of(loop, model, new Context.Named(CONTEXT, ACTIONS));
        double[] all = scores(CONTEXT);
        double[] none = scores(NamedFeatures.none());
        double[] mobile = scores(named("mobile", new FeatureValue.Flag(true)));
        double[] age = scores(named("user", named("age", new FeatureValue.Quantity(2.0))));
        for (int a = 0; a < 2; a++) {
            assertThat(explained.scores().get(a)).isEqualTo(all[a]);
            assertThat(contribution(explained, a, "context.mobile"))
                    .isNotZero()
                    .isCloseTo(mobile[a] - none[a], within(1e-4));
            assertThat(contribution(explained, a, "context.user.age"))
                    .isNotZero()
                    .isCloseTo(age[a] - none[a], within(1e-4));
            assertThat(contribution(explained, a, "action.price")).isNotZero();
        }
        assertThat(explained.contributions().orElseThrow().get(0))
                .as("the largest first")
                .isSortedAccordingTo(
                        (one, other) ->
                                Double.compare(Math.abs(other.value()), Math.abs(one.value())));
    }

    @Test
    void anEntryOfAVectorContributesItsWeightTimesItsValue() {
        ServedLoop dense =
                new PolicyStoreFixture()
                        .spec(
                                PolicyStoreFixture.spec(
                                        1, "{\"actions\":[\"a\",\"b\"],\"features\":3}"))
                        .served();
        DenseModel weights =
                new DenseModel(
                        new float[][] {{1.0f, -2.0f, 4.0f}, {0.0f, 8.0f, 1.0f}},
                        new float[] {0.5f, 0.0f});
        Explanation explained =
                Explanation.of(
                        dense, weights, new Context.Vector(DenseVector.of(0.5f, 0.25f, 0.0f)));
        assertThat(explained.scores()).containsExactly(0.5, 2.0);
        assertThat(explained.contributions().orElseThrow().get(0))
                .containsExactly(
                        new Explanation.Contribution("context.dense[0]", 0.5),
                        new Explanation.Contribution("context.dense[1]", -0.5));
        assertThat(explained.contributions().orElseThrow().get(1))
                .containsExactly(new Explanation.Contribution("context.dense[1]", 2.0));
        Explanation sparse =
                Explanation.of(
                        dense,
                        weights,
                        new Context.Vector(new SparseVector(3, new int[] {2}, new float[] {0.5f})));
        assertThat(sparse.contributions().orElseThrow().get(0))
                .containsExactly(new Explanation.Contribution("context.sparse[2]", 2.0));
    }

    @Test
    void manyFeaturesAreNotExplainedOneByOne() {
        int dimension = 20_000;
        ServedLoop wide =
                new PolicyStoreFixture()
                        .spec(
                                PolicyStoreFixture.spec(
                                        1,
                                        "{\"actions\":[\"a\",\"b\"],\"features\":"
                                                + dimension
                                                + "}"))
                        .served();
        Explanation explained =
                Explanation.of(
                        wide,
                        DenseModel.zeros(2, dimension),
                        new Context.Vector(DenseVector.owning(weights(dimension))));
        assertThat(explained.scores()).hasSize(2);
        assertThat(explained.contributions()).isEmpty();
    }
}
