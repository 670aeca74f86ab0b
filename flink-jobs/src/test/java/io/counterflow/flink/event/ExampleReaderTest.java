package io.counterflow.flink.event;

import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.raw;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.Feedback;
import io.counterflow.schemas.record.DenseFeatures;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.NamedFeaturesText;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.SparseFeatures;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules for what comes after the head of an impression. */
final class ExampleReaderTest {

    private static final LoopSpec SPEC = LoopSpec.builder("home").vectors(2, "a", "b").build();

    private final ExampleReader reader = new ExampleReader();

    private ExampleReader.Read read(byte[] impression) throws RefusedEventException {
        LoopEvent event =
                new LoopEvent(
                        LoopEventKind.EXAMPLE,
                        "home",
                        Feedback.at(1_000) * 1_000L,
                        "e",
                        0,
                        new Outcome(0.75, null, RewardOriginRecord.OBSERVED, 1),
                        raw(impression));
        return reader.read(event, SPEC, new FormerSpecs(List.of()), SPEC.assembly());
    }

    private static byte[] bytes(ImpressionRecord record) {
        return WireCodec.of(ImpressionRecord.class).encode(record);
    }

    @Test
    void anExampleHasTheImpressionsFeaturesAndTheJoinedReward() throws Exception {
        ExampleReader.Read read = read(bytes(impression("e", 0)));
        assertThat(read.example().reward()).isEqualTo(0.75);
        assertThat(read.example().propensity()).isEqualTo(0.5);
        assertThat(read.impression().eventId()).isEqualTo("e");
    }

    static Stream<Consumer<ImpressionRecord>> damages() {
        return Stream.of(
                r -> r.setPropensity(null),
                r -> r.setPropensity(0.0),
                r -> r.setPropensity(Double.NaN),
                r -> r.setPropensity(1.0000001),
                r -> r.setFeatures(dense(0.12345f, Float.NaN)),
                r -> r.setFeatures(dense(Float.POSITIVE_INFINITY)),
                r -> r.setFeatures(new DenseFeatures(ByteBuffer.wrap(new byte[5]))),
                r -> r.setFeatures(new NamedFeaturesText("{\"secret\":\"0.12345\"")),
                r ->
                        r.setFeatures(
                                new SparseFeatures(
                                        3, List.of(7), PackedNumbers.pack(new float[] {0.12345f}))),
                r -> r.setAction(-1),
                r -> r.setDistribution(List.of(0.9, 0.9)),
                r -> r.setExcludedActions(List.of(1)));
    }

    private static DenseFeatures dense(float... values) {
        return new DenseFeatures(PackedNumbers.pack(values));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void aBrokenImpressionIsRefusedWithoutTheValuesOfFeatures(Consumer<ImpressionRecord> damage) {
        ImpressionRecord record = impression("e", 0);
        damage.accept(record);
        assertRefused(bytes(record));
    }

    @Test
    void anImpressionThatIsNotWholeIsRefused() {
        byte[] whole = bytes(impression("e", 0));
        assertRefused(Arrays.copyOf(whole, whole.length - 1));
        assertRefused(Arrays.copyOf(whole, whole.length + 1));
    }

    private void assertRefused(byte[] impression) {
        Throwable thrown = catchThrowable(() -> read(impression));
        assertThat(thrown)
                .isInstanceOf(RefusedEventException.class)
                .message()
                .isNotBlank()
                .doesNotContain("0.12345")
                .doesNotContain("secret");
        assertThat(((RefusedEventException) thrown).rule()).isEqualTo(RefusalReason.EXAMPLE);
    }

    @Test
    void anyDamageEndsInAnExampleOrARefusal() {
        byte[] whole = bytes(impression("e", 0));
        for (long seed = 0; seed < 2_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] damaged = whole.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            Throwable thrown = catchThrowable(() -> read(damaged));
            if (thrown != null) {
                assertThat(thrown)
                        .as("seed %d", seed)
                        .isExactlyInstanceOf(RefusedEventException.class);
            }
        }
    }
}
