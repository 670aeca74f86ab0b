package io.counterflow.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class FeatureAssemblyTest {

    private static final EncoderSpec ENCODER = EncoderSpec.ofBits(8);
    private static final NamedFeatures USER = text("user", "secret");
    private static final NamedAction RED = new NamedAction("red", text("colour", "red"));
    private static final NamedAction BLUE = new NamedAction("blue", text("colour", "blue"));
    private static final NamedAction HEAVY = new NamedAction("heavy", quantity("weight", 1e16));

    private static NamedFeatures text(String name, String value) {
        return new NamedFeatures(
                List.of(new NamedFeatures.Entry(name, new FeatureValue.Text(value))));
    }

    private static NamedFeatures quantity(String name, double value) {
        return new NamedFeatures(
                List.of(new NamedFeatures.Entry(name, new FeatureValue.Quantity(value))));
    }

    private static FeatureAssembly vectors(double... bound) {
        return FeatureAssembly.ofVectors(2, optional(bound));
    }

    private static FeatureAssembly names(double... bound) {
        return FeatureAssembly.ofNames(ENCODER, optional(bound));
    }

    private static OptionalDouble optional(double... bound) {
        return bound.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(bound[0]);
    }

    private static Context vector(float... values) {
        return new Context.Vector(DenseVector.of(values));
    }

    @Test
    void aVectorIsTakenAsItIs() {
        DenseVector dense = DenseVector.of(1f, -2f);
        SparseVector sparse = new SparseVector(2, new int[] {1}, new float[] {3f});
        assertThat(vectors().features(new Context.Vector(dense), List.of())).isSameAs(dense);
        assertThat(vectors().features(new Context.Vector(sparse), List.of())).isSameAs(sparse);
        assertThat(vectors().features(new Context.Vector(dense), List.of(RED)))
                .as("fixed actions have no features in it")
                .isSameAs(dense);
    }

    @Test
    void namedFeaturesAreHashedWithTheActionsOfTheRequest() {
        Features expected = new HashedEncoder(ENCODER).encode(USER, List.of(BLUE, RED));
        Context own = new Context.Named(USER, List.of(BLUE, RED));
        assertThat(names().features(own, List.of())).isEqualTo(expected);
        assertThat(names().features(own, List.of(HEAVY)))
                .as("its own actions come before the fixed ones")
                .isEqualTo(expected);
    }

    @Test
    void namedFeaturesWithoutActionsAreHashedWithTheFixedOnes() {
        Context none = new Context.Named(USER, List.of());
        assertThat(names().features(none, List.of(RED, BLUE)))
                .isEqualTo(new HashedEncoder(ENCODER).encode(USER, List.of(RED, BLUE)))
                .isNotEqualTo(new HashedEncoder(ENCODER).encode(USER, List.of(BLUE, RED)));
    }

    @Test
    void anAssemblyKeepsNothingFromOneRequestToTheNext() {
        FeatureAssembly assembly = names();
        Context first = new Context.Named(USER, List.of(RED, BLUE));
        Context second = new Context.Named(text("user", "other"), List.of(BLUE));
        Features before = assembly.features(first, List.of());
        assertThat(assembly.features(second, List.of()))
                .isEqualTo(names().features(second, List.of()));
        assertThat(assembly.features(first, List.of())).isEqualTo(before);
        assertThat(before).isEqualTo(names().features(first, List.of()));
    }

    @Test
    void featuresLongerThanTheNormBoundAreScaledDownToIt() {
        assertThat(vectors(5.0).features(vector(3f, 4f), List.of()))
                .as("within the bound")
                .isEqualTo(DenseVector.of(3f, 4f));
        Features bounded = vectors(2.5).features(vector(3f, 4f), List.of());
        assertThat(bounded).isEqualTo(DenseVector.of(3f, 4f).boundedBy(2.5));
        assertThat(Math.sqrt(bounded.maxSquaredNorm())).isBetween(2.499999, 2.5);
        Context named = new Context.Named(USER, List.of(RED, BLUE));
        Features hashed = names(0.5).features(named, List.of());
        assertThat(hashed).isEqualTo(names().features(named, List.of()).boundedBy(0.5));
        assertThat(Math.sqrt(hashed.maxSquaredNorm())).isBetween(0.499999, 0.5);
    }

    @Test
    void featuresBeyondTheNormLimitAreRefused() {
        String message = "context must have features of a norm up to 1e15";
        assertThat(vectors().features(vector(9e14f, 0f), List.of()))
                .isEqualTo(DenseVector.of(9e14f, 0f));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> vectors().features(vector(0x1p50f, 0f), List.of()))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .as("the norm counts, not the largest feature")
                .isThrownBy(() -> vectors().features(vector(8e14f, 8e14f), List.of()))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> vectors(2e15).features(vector(0x1p52f, 0f), List.of()))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> names().features(new Context.Named(USER, List.of(HEAVY)), List.of()))
                .withMessage(message);
    }

    /** Some of these pairs of names have the same hash, and their values cancel in the norm. */
    @Test
    void enormousValuesAreRefusedEvenIfTheyCancel() {
        NamedFeatures nothing = new NamedFeatures(List.of());
        for (int i = 0; i < 60; i++) {
            for (int j = 0; j < i; j++) {
                NamedFeatures pair =
                        new NamedFeatures(
                                List.of(
                                        new NamedFeatures.Entry(
                                                "f" + i, new FeatureValue.Quantity(3e38)),
                                        new NamedFeatures.Entry(
                                                "f" + j, new FeatureValue.Quantity(-3e38))));
                Context context = new Context.Named(nothing, List.of(new NamedAction("a", pair)));
                assertThatIllegalArgumentException()
                        .as("f%d and f%d", i, j)
                        .isThrownBy(() -> names().features(context, List.of()));
            }
        }
    }

    @Test
    void aNormBoundMakesFeaturesOfAnyLengthFit() {
        Features bounded = vectors(1.0).features(vector(3e30f, 4e30f), List.of());
        assertThat(bounded).isEqualTo(DenseVector.of(3e30f, 4e30f).boundedBy(1.0));
        Context heavy = new Context.Named(USER, List.of(HEAVY));
        assertThat(names(1.0).features(heavy, List.of()).maxSquaredNorm()).isBetween(0.99999, 1.0);
    }

    @Test
    void whatDoesNotFitIsNamedWithoutQuotingAFeature() {
        Context named = new Context.Named(USER, List.of(RED));
        Context withoutActions = new Context.Named(USER, List.of());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> vectors().features(vector(1f), List.of()))
                .withMessage("context must have 2 features, got 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> vectors().features(named, List.of()))
                .withMessage("context must be a vector of 2 features, got named features");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> names().features(vector(1f, 2f, 3f), List.of()))
                .withMessage("context must have named features, got a vector of 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> names().features(withoutActions, List.of()))
                .withMessage(
                        "actions must be given with named features, because the loop has no fixed"
                                + " list");
    }
}
