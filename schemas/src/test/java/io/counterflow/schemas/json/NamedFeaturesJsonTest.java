package io.counterflow.schemas.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.schemas.Draws;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class NamedFeaturesJsonTest {

    private final NamedFeaturesJson json = new NamedFeaturesJson(JsonLimits.defaults());

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aRoundTripChangesNothing(long seed) {
        NamedFeatures features = new Draws(seed).namedFeatures(5);
        assertThat(json.read(NamedFeaturesJson.write(features))).isEqualTo(features);
    }

    @Test
    void everyKindOfValueKeepsItsPlace() {
        assertThat(json.read("{\"z\":[true,\"x\",[1]],\"a\":{\"b\":-0.5},\"z\":3}"))
                .isEqualTo(
                        new NamedFeatures(
                                List.of(
                                        entry(
                                                "z",
                                                new FeatureValue.Sequence(
                                                        List.of(
                                                                new FeatureValue.Flag(true),
                                                                new FeatureValue.Text("x"),
                                                                new FeatureValue.Sequence(
                                                                        List.of(number(1.0)))))),
                                        entry(
                                                "a",
                                                new NamedFeatures(
                                                        List.of(entry("b", number(-0.5))))),
                                        entry("z", number(3.0)))));
    }

    @Test
    void nullSaysNothing() {
        assertThat(json.read("{\"a\":null,\"b\":[null,1]}"))
                .isEqualTo(
                        new NamedFeatures(
                                List.of(
                                        entry(
                                                "b",
                                                new FeatureValue.Sequence(List.of(number(1.0)))))));
    }

    @Test
    void anythingButOneObjectIsRefused() {
        for (String text : List.of("", "[]", "1", "{", "{}{}", "{\"a\":Infinity}")) {
            assertThatIllegalArgumentException().isThrownBy(() -> json.read(text));
        }
    }

    private static NamedFeatures.Entry entry(String name, FeatureValue value) {
        return new NamedFeatures.Entry(name, value);
    }

    private static FeatureValue number(double value) {
        return new FeatureValue.Quantity(value);
    }
}
