package io.counterflow.core.features;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class FactoredFeaturesLawTest {

    private static final int BITS = 8; // so that many names share a weight

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void scoresHaveTheSameBitsWithAndWithoutStoredProducts(long seed) {
        EventRandom random = new EventRandom(seed);
        HashedEncoder encoder = new HashedEncoder(spec(random));
        NamedFeatures context = namespaces(random);
        List<NamedAction> actions = actions(random);
        float[] weights = new float[1 << BITS];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) random.nextGaussian();
        }

        ActionFeatures factored = encoder.encode(context, actions);
        double[] fromFactors = new double[actions.size()];
        factored.dots(weights, fromFactors);
        ActionFeatures stored = copyOfEntries(encoder.encode(context, actions));
        double[] fromEntries = new double[actions.size()];
        stored.dots(weights, fromEntries);
        double[] oneByOne = new double[actions.size()];
        for (int a = 0; a < oneByOne.length; a++) {
            oneByOne[a] = stored.dot(a, weights);
        }

        assertThat(fromFactors).isEqualTo(fromEntries).isEqualTo(oneByOne);
        assertThat(factored).isEqualTo(stored).hasSameHashCodeAs(stored);
        assertThat(factored.bytes()).isEqualTo(stored.bytes());
        assertThat(factored.maxAbsoluteValue()).isGreaterThanOrEqualTo(stored.maxAbsoluteValue());
        for (double norm : new double[] {0.0, 0.1, 1.0, 3.0, 10.0, 1e3}) {
            assertThat(factored.within(norm)).isEqualTo(stored.within(norm));
        }
    }

    private static ActionFeatures copyOfEntries(ActionFeatures phi) {
        int[] starts = new int[phi.actions() + 1];
        for (int a = 0; a < starts.length; a++) {
            starts[a] = phi.rowStart(a);
        }
        int[] indices = new int[starts[phi.actions()]];
        float[] values = new float[indices.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = phi.index(i);
            values[i] = phi.value(i);
        }
        return ActionFeatures.of(phi.bits(), starts, indices, values);
    }

    private static EncoderSpec spec(EventRandom random) {
        List<Interaction> interactions =
                switch (random.nextInt(4)) {
                    case 0 -> EncoderSpec.ALL_INTERACTIONS;
                    case 1 -> List.of();
                    case 2 -> List.of(new Interaction("n0", Interaction.ANY));
                    default -> List.of(new Interaction("n1", "n0"), new Interaction("", "id"));
                };
        return new EncoderSpec(BITS, interactions, random.nextInt(2) == 0);
    }

    private static List<NamedAction> actions(EventRandom random) {
        List<NamedAction> actions = new ArrayList<>();
        int count = 1 + random.nextInt(9);
        for (int a = 0; a < count; a++) {
            actions.add(new NamedAction("a" + a, namespaces(random)));
        }
        return actions;
    }

    /** Some features in the default namespace, and some in others. */
    private static NamedFeatures namespaces(EventRandom random) {
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            entries.add(
                    random.nextInt(2) == 0
                            ? new NamedFeatures.Entry("n" + random.nextInt(3), values(random))
                            : feature(random));
        }
        return new NamedFeatures(entries);
    }

    private static NamedFeatures values(EventRandom random) {
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            entries.add(feature(random));
        }
        return new NamedFeatures(entries);
    }

    private static NamedFeatures.Entry feature(EventRandom random) {
        return new NamedFeatures.Entry(
                "f" + random.nextInt(20), new FeatureValue.Quantity(random.nextGaussian()));
    }
}
