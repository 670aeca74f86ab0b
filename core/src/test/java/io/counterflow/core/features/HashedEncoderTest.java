package io.counterflow.core.features;

import static io.counterflow.core.features.Named.action;
import static io.counterflow.core.features.Named.features;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HashedEncoderTest {

    private static final int BITS = 18;
    private static final int MASK = (1 << BITS) - 1;

    /** Only the features of the actions themselves. */
    private static final EncoderSpec PLAIN = new EncoderSpec(BITS, List.of(), false);

    private static ActionFeatures encode(
            EncoderSpec spec, NamedFeatures x, NamedAction... actions) {
        return new HashedEncoder(spec).encode(x, List.of(actions));
    }

    private static List<Integer> indices(ActionFeatures phi) {
        List<Integer> indices = new ArrayList<>();
        for (int i = 0; i < phi.rowStart(phi.actions()); i++) {
            indices.add(phi.index(i));
        }
        return indices;
    }

    private static List<Float> values(ActionFeatures phi) {
        List<Float> values = new ArrayList<>();
        for (int i = 0; i < phi.rowStart(phi.actions()); i++) {
            values.add(phi.value(i));
        }
        return values;
    }

    private static List<Integer> plainIndices(Object... namesAndValues) {
        return indices(encode(PLAIN, NamedFeatures.none(), action("a", namesAndValues)));
    }

    private static int hash(String... path) {
        int hash = 0;
        for (String name : path) {
            hash = MurmurHash3.hash(name, hash);
        }
        return hash;
    }

    private static int index(String... path) {
        return hash(path) & MASK;
    }

    @Test
    void indicesAreTheSameForEver() {
        // Computed by an independent implementation of the documented rules. Changing any of these
        // would invalidate stored policies.
        ActionFeatures phi =
                encode(
                        EncoderSpec.ofBits(BITS),
                        features("user", features("country", "de", "age", 0.5), "hour", 3),
                        action("a", "topic", "sport", "price", 2.5));
        assertThat(indices(phi))
                .containsExactly(
                        66342, 229902, 50297, // sport, price, id
                        178576, 225698, 193989, 103561, // country and age, with sport and price
                        198933, 202262, // country and age, with id
                        95162, 160009, 172580); // hour with all three
        assertThat(values(phi))
                .containsExactly(1f, 2.5f, 1f, 1f, 2.5f, 0.5f, 1.25f, 1f, 0.5f, 3f, 7.5f, 3f);
    }

    @Test
    void aStringIsAMemberOfItsName() {
        assertThat(plainIndices("topic", "sport")).containsExactly(index("topic", "sport"));
        assertThat(plainIndices("topic", "")).containsExactly(index("topic", ""));
    }

    @Test
    void nameAndValueAreHashedSeparately() {
        assertThat(plainIndices("ab", "c")).isNotEqualTo(plainIndices("a", "bc"));
    }

    @Test
    void aNumberIsTheValueOfItsNameAndZeroIsNothing() {
        ActionFeatures phi =
                encode(PLAIN, NamedFeatures.none(), action("a", "p", -2.5, "q", 0, "r", -0.0));
        assertThat(indices(phi)).containsExactly(index("p"));
        assertThat(values(phi)).containsExactly(-2.5f);
    }

    @Test
    void trueIsOneAndFalseIsNothing() {
        ActionFeatures phi =
                encode(PLAIN, NamedFeatures.none(), action("a", "p", true, "q", false));
        assertThat(indices(phi)).containsExactly(index("p"));
        assertThat(values(phi)).containsExactly(1f);
    }

    @Test
    void stringsInAListAreASet() {
        assertThat(plainIndices("tags", List.of("x", "y")))
                .containsExactlyElementsOf(plainIndices("tags", "x", "tags", "y"))
                .containsExactlyInAnyOrderElementsOf(plainIndices("tags", List.of("y", "x")));
    }

    @Test
    void numbersAndBooleansInAListGoByPosition() {
        ActionFeatures phi =
                encode(
                        PLAIN,
                        NamedFeatures.none(),
                        action("a", "v", List.of(0.5, 0.0, 2.0, true, false)));
        int list = hash("v");
        assertThat(indices(phi))
                .containsExactly(
                        MurmurHash3.hash(0, list) & MASK,
                        MurmurHash3.hash(2, list) & MASK,
                        MurmurHash3.hash(3, list) & MASK);
        assertThat(values(phi)).containsExactly(0.5f, 2f, 1f);
    }

    @Test
    void objectsInAListGoByTheirOwnNames() {
        assertThat(plainIndices("u", List.of(features("a", 1), features("b", "c"))))
                .containsExactlyElementsOf(plainIndices("u", features("a", 1, "b", "c")));
    }

    @Test
    void aListInAListIsAListUnderItsPosition() {
        int inner = MurmurHash3.hash(1, hash("m"));
        assertThat(plainIndices("m", List.of(7, List.of(8, "s"))))
                .containsExactly(
                        MurmurHash3.hash(0, hash("m")) & MASK,
                        MurmurHash3.hash(0, inner) & MASK,
                        MurmurHash3.hash("s", inner) & MASK);
    }

    @Test
    void nestedObjectsMakeAPath() {
        assertThat(plainIndices("a", features("b", features("c", 1, "d", "e"))))
                .containsExactly(index("a", "b", "c"), index("a", "b", "d", "e"));
    }

    @Test
    void aContextWithoutInteractionsHasNoEffect() {
        assertThat(encode(PLAIN, features("hour", 3), action("a", "p", 1)))
                .isEqualTo(encode(PLAIN, NamedFeatures.none(), action("a", "p", 1)));
    }

    @Test
    void actionsWithoutFeaturesDifferByTheirIds() {
        ActionFeatures phi =
                encode(EncoderSpec.ofBits(BITS), features("hour", 3), action("a"), action("b"));
        assertThat(phi.rowStart(1)).isEqualTo(2);
        assertThat(phi.row(0)).isNotEqualTo(phi.row(1));
        assertThat(phi.index(0)).isEqualTo(index("id", "a"));
        ActionFeatures without = encode(PLAIN, features("hour", 3), action("a"), action("b"));
        assertThat(without.rowStart(2)).isZero();
    }

    @Test
    void onlyChosenNamespacesInteract() {
        EncoderSpec spec = new EncoderSpec(BITS, List.of(Interaction.parse("user:topic")), true);
        NamedFeatures x =
                features(
                        "user", features("age", 2, "home", features("city", "x")),
                        "weather", features("rain", 1),
                        "hour", 3);
        NamedAction a = action("a", "topic", features("sport", 4), "price", 5);
        ActionFeatures phi = encode(spec, x, a);
        assertThat(indices(phi))
                .containsExactly(
                        index("topic", "sport"),
                        index("price"),
                        index("id", "a"),
                        crossed(hash("user", "age"), hash("topic", "sport")),
                        crossed(hash("user", "home", "city", "x"), hash("topic", "sport")));
        assertThat(values(phi)).containsExactly(4f, 5f, 1f, 8f, 4f);
    }

    @Test
    void anEmptyNameIsTheDefaultNamespaceInAnInteraction() {
        EncoderSpec spec = new EncoderSpec(BITS, List.of(Interaction.parse(":id")), true);
        NamedFeatures x = features("user", features("age", 2), "hour", 3, "tags", List.of("t"));
        assertThat(indices(encode(spec, x, action("a", "price", 5))))
                .containsExactly(
                        index("price"),
                        index("id", "a"),
                        crossed(hash("hour"), hash("id", "a")),
                        crossed(hash("tags", "t"), hash("id", "a")));
    }

    @Test
    void objectsInATopLevelListBelongToTheNamespaceOfItsName() {
        EncoderSpec spec = new EncoderSpec(BITS, List.of(Interaction.parse("user:*")), true);
        NamedFeatures x = features("user", List.of(features("age", 2), "member"));
        assertThat(indices(encode(spec, x, action("a"))))
                .containsExactly(index("id", "a"), crossed(hash("user", "age"), hash("id", "a")));
    }

    @Test
    void aPairOfNamespacesInteractsOnceHoweverManyInteractionsCoverIt() {
        List<Interaction> twice = List.of(Interaction.parse("*:*"), Interaction.parse("user:id"));
        NamedFeatures x = features("user", features("age", 2));
        assertThat(encode(new EncoderSpec(BITS, twice, true), x, action("a")))
                .isEqualTo(encode(EncoderSpec.ofBits(BITS), x, action("a")));
    }

    private static int crossed(int context, int action) {
        return MurmurHash3.mix((context * 0x01000193) ^ action) & MASK;
    }

    @Test
    void anEncoderKeepsNothingOfThePreviousRequest() {
        HashedEncoder encoder = new HashedEncoder(EncoderSpec.ofBits(BITS));
        NamedFeatures x = features("user", features("age", 2));
        ActionFeatures first = encoder.encode(x, List.of(action("a"), action("b", "p", 1)));
        ActionFeatures other = encoder.encode(features("hour", 3), List.of(action("a", "q", "r")));
        assertThat(encoder.encode(x, List.of(action("a"), action("b", "p", 1)))).isEqualTo(first);
        assertThat(other).isNotEqualTo(first);
    }

    @Test
    void aRefusedRequestLeavesTheEncoderUsable() {
        HashedEncoder encoder = new HashedEncoder(EncoderSpec.ofBits(BITS));
        ActionFeatures before = encoder.encode(features("h", 1), List.of(action("a")));
        assertThatThrownBy(
                        () -> encoder.encode(features("h", 2), List.of(action("a"), action("a"))))
                .hasMessage("action ids must differ, action 1 repeats an earlier one");
        assertThat(encoder.encode(features("h", 1), List.of(action("a")))).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\0", "\ud83d", "\udc00x", "😀", ":", "*", "a.b", "日本語"})
    void anyNameIsAName(String name) {
        ActionFeatures phi =
                encode(
                        EncoderSpec.ofBits(BITS),
                        features(name, features(name, name)),
                        action(name, name, name));
        assertThat(phi.rowStart(1)).isEqualTo(4); // its feature, its id, and both with the context
    }

    @Test
    void aVeryLongNameIsAName() {
        String name = "n".repeat(1_000_000);
        assertThat(plainIndices(name, 1)).containsExactly(index(name));
    }

    @Test
    void nestingHasALimit() {
        assertThat(plainIndices("n", nested(32))).hasSize(1);
        assertThatThrownBy(() -> plainIndices("n", nested(33)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("features must be nested at most 32 deep");
        FeatureValue lists = new FeatureValue.Quantity(1);
        for (int i = 0; i < 10_000; i++) {
            lists = new FeatureValue.Sequence(List.of(lists));
        }
        FeatureValue deep = lists;
        assertThatThrownBy(() -> plainIndices("n", deep))
                .hasMessage("features must be nested at most 32 deep");
    }

    private static FeatureValue nested(int depth) {
        FeatureValue value = new FeatureValue.Quantity(1);
        for (int i = 0; i < depth; i++) {
            value = features("n", value);
        }
        return value;
    }

    @Test
    void featuresOfAnActionHaveALimit() {
        EncoderSpec spec = new EncoderSpec(BITS, EncoderSpec.ALL_INTERACTIONS, false, 4);
        NamedFeatures x = features("a", 1);
        assertThat(encode(spec, x, action("a", "p", 1, "q", 1)).rowStart(1)).isEqualTo(4);
        assertThatThrownBy(() -> encode(spec, x, action("a", "p", 1, "q", 1, "r", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "an action must have at most 4 features with its interactions"
                                + " (maxFeaturesPerAction)");
        assertThatThrownBy(
                        () ->
                                encode(
                                        spec,
                                        features("v", List.of(1, 2, 3, 4, 5)),
                                        action("a", "p", 1)))
                .hasMessage(
                        "a context or an action must have at most 4 features"
                                + " (maxFeaturesPerAction)");
    }

    @Test
    void featuresOfARequestHaveALimit() {
        HashedEncoder encoder =
                new HashedEncoder(EncoderSpec.ofBits(BITS), 8, new EncoderBuffers());
        NamedFeatures x = features("u", 1, "v", 1, "w", 1);
        assertThat(encoder.encode(x, List.of(action("a"), action("b"))).rowStart(2)).isEqualTo(8);
        assertThatThrownBy(() -> encoder.encode(x, List.of(action("a"), action("b"), action("c"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a request must have at most 8 features with all interactions"
                                + " (featureLimit), got 12");
    }

    @Test
    void aRequestAboveTheLimitCostsNoMemoryForItsInteractions() {
        List<Object> numbers = Collections.nCopies(8_000, 1);
        List<NamedAction> many =
                IntStream.range(0, 2_090).mapToObj(a -> action(Integer.toString(a))).toList();
        HashedEncoder encoder =
                new HashedEncoder(EncoderSpec.ofBits(BITS), 250_000, new EncoderBuffers());
        NamedFeatures x = features("a", numbers);
        long before = allocated();
        assertThatThrownBy(() -> encoder.encode(x, many))
                .hasMessageEndingWith("(featureLimit), got 16722090");
        assertThat(allocated() - before).isLessThan(4L << 20);
    }

    @Test
    void namespacesThatAreNotMultipliedHaveALimitToo() {
        EncoderSpec spec = new EncoderSpec(BITS, List.of(new Interaction("user", "topic")), false);
        HashedEncoder encoder = new HashedEncoder(spec, 8, new EncoderBuffers());
        Object[] namespaces = new Object[2 * 64];
        for (int i = 0; i < 64; i++) {
            namespaces[2 * i] = "n" + i;
            namespaces[2 * i + 1] = features("x", 1);
        }
        NamedFeatures x = features(namespaces); // 8 · 16 comparisons allow two actions
        assertThat(encoder.encode(x, List.of(action("a", "p", 1), action("b", "p", 1))).rowStart(2))
                .isEqualTo(2);
        assertThatThrownBy(
                        () ->
                                encoder.encode(
                                        x,
                                        List.of(
                                                action("a", "p", 1),
                                                action("b", "p", 1),
                                                action("c", "p", 1))))
                .hasMessage(
                        "a request must have at most 128 comparisons of its namespaces with"
                                + " interactions (16 times featureLimit)");
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }

    @Test
    void buffersShrinkAfterALargeRequestAndAfterARefusedOne() {
        EncoderBuffers buffers = new EncoderBuffers();
        int small = buffers.capacity();
        List<Object> numbers = Collections.nCopies(16_000, 1);
        HashedEncoder large = new HashedEncoder(EncoderSpec.ofBits(BITS), 50_000, buffers);
        large.encode(features("a", numbers), List.of(action("b")));
        assertThat(buffers.capacity()).isLessThanOrEqualTo(small);
        HashedEncoder refusing = new HashedEncoder(EncoderSpec.ofBits(BITS), 8, buffers);
        assertThatThrownBy(() -> refusing.encode(features("a", numbers), List.of(action("b"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(buffers.capacity()).isLessThanOrEqualTo(small);
    }

    @Test
    void encodersThatShareBuffersDoNotDisturbEachOther() {
        EncoderBuffers shared = new EncoderBuffers();
        HashedEncoder one = new HashedEncoder(EncoderSpec.ofBits(BITS), 100, shared);
        HashedEncoder other = new HashedEncoder(PLAIN, 100, shared);
        NamedFeatures x = features("user", features("age", 2));
        ActionFeatures first = one.encode(x, List.of(action("a"), action("b", "p", 1)));
        other.encode(features("hour", 3), List.of(action("c", "q", "r")));
        assertThat(one.encode(x, List.of(action("a"), action("b", "p", 1)))).isEqualTo(first);
    }

    @Test
    void refusesAnInvalidRequest() {
        assertThatThrownBy(() -> encode(PLAIN, NamedFeatures.none()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a request must have at least 1 action, got 0");
        assertThatThrownBy(() -> encode(PLAIN, NamedFeatures.none(), action("a", "p", 1e39)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("1e39")
                .hasMessageNotContaining("1.0E39");
        assertThatThrownBy(
                        () ->
                                encode(
                                        EncoderSpec.ofBits(BITS),
                                        features("x", 1e30),
                                        action("a", "p", 1e30)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("within the range of a float");
        assertThatThrownBy(() -> new FeatureValue.Quantity(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
