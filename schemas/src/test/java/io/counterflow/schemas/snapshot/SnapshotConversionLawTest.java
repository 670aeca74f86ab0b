package io.counterflow.schemas.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.schemas.Draws;
import io.counterflow.schemas.record.CertificateRecord;
import io.counterflow.schemas.record.DenseWeights;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.record.LearnedFromRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SnapshotConversionLawTest {

    private static final DenseModel MODEL =
            new DenseModel(new float[][] {{1.0f, 2.0f}, {3.0f, -0.0f}}, new float[] {0.5f, 0.0f});

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    /** Also compares the records, which contain every bit. */
    private static void assertSame(PolicySnapshot actual, PolicySnapshot expected) {
        assertThat(actual).isEqualTo(expected);
        assertThat(actual.decisionRule()).isEqualTo(expected.decisionRule());
        assertThat(SnapshotConversion.toRecord(actual))
                .isEqualTo(SnapshotConversion.toRecord(expected));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aSnapshotSurvivesTheWire(long seed) throws Exception {
        PolicySnapshot snapshot = new Draws(seed).snapshot();
        WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);
        byte[] bytes = codec.encode(SnapshotConversion.toRecord(snapshot));
        PolicySnapshot read = SnapshotConversion.fromRecord(codec.decode(bytes));
        assertSame(read, snapshot);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aSnapshotSurvivesJson(long seed) throws InvalidSnapshotException {
        PolicySnapshot snapshot = new Draws(seed).snapshot();
        String json = SnapshotJson.toJson(snapshot, true);
        assertSame(SnapshotJson.read(json.getBytes(StandardCharsets.UTF_8)), snapshot);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aRecordWithoutItsWeightsGetsThemBack(long seed) {
        PolicySnapshot snapshot = new Draws(seed).snapshot();
        PolicySnapshotRecord whole = SnapshotConversion.toRecord(snapshot);
        for (PolicySnapshotRecord record :
                List.of(
                        SnapshotConversion.withoutWeights(whole),
                        SnapshotConversion.toPointer(snapshot, "file:/w", 12))) {
            assertThat(SnapshotConversion.withModel(record, snapshot.model(), snapshot.encoder()))
                    .isEqualTo(whole);
        }
    }

    @Test
    void aFlippedBitIsDetectedAnywhere() throws UndecodableRecordException {
        WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);
        for (long seed = 0; seed < 20; seed++) {
            byte[] bytes = codec.encode(SnapshotConversion.toRecord(new Draws(seed).snapshot()));
            for (int i = 10; i < bytes.length; i++) {
                byte[] forged = bytes.clone();
                forged[i] ^= 1;
                assertThatThrownBy(() -> SnapshotConversion.fromRecord(codec.decode(forged)))
                        .as("seed %d, byte %d of %d", seed, i, bytes.length)
                        .isInstanceOfAny(
                                InvalidSnapshotException.class, UndecodableRecordException.class);
            }
        }
    }

    /** Uses the schema, so that a new field that is missing in the checksum fails this test. */
    @Test
    void everyFieldEntersTheChecksum() {
        PolicySnapshotRecord record = full();
        assertEveryFieldMatters(record, record);
        assertEveryFieldMatters(record, (SpecificRecordBase) record.getModel());
        assertEveryFieldMatters(record, record.getPointer());
        assertEveryFieldMatters(record, record.getCertificate());
        assertEveryFieldMatters(record, record.getCertificate().getLearnedFrom());
        record.setModel(
                new HashedWeights(
                        3,
                        PackedNumbers.pack(new int[] {1}),
                        PackedNumbers.pack(new float[] {1.0f}),
                        List.of("a"),
                        true));
        assertEveryFieldMatters(record, (SpecificRecordBase) record.getModel());
    }

    private static PolicySnapshotRecord full() {
        PolicySnapshotRecord record =
                SnapshotConversion.toPointer(
                        PolicySnapshot.of("home", 4, MODEL, Optional.empty()), "uri", 3);
        record.setModel(ModelConversion.toWeights(MODEL, Optional.empty()));
        record.setCertificate(
                new CertificateRecord(
                        1L,
                        0.1,
                        1.0,
                        0.1,
                        0.2,
                        0.3,
                        0.4,
                        0.5,
                        new LearnedFromRecord(0.6, 0.7, 0.8, 0.9, 1.0)));
        return record;
    }

    private static void assertEveryFieldMatters(
            PolicySnapshotRecord whole, SpecificRecordBase part) {
        String before = SnapshotChecksum.of(whole);
        for (Schema.Field field : part.getSchema().getFields()) {
            if (part instanceof PolicySnapshotRecord && field.name().equals("checksum")) {
                continue;
            }
            Object value = part.get(field.pos());
            part.put(field.pos(), other(field, value));
            assertThat(SnapshotChecksum.of(whole))
                    .as(part.getSchema().getName() + "." + field.name())
                    .isNotEqualTo(before);
            part.put(field.pos(), value);
        }
    }

    private static Object other(Schema.Field field, @Nullable Object value) {
        if (value instanceof String text) {
            return text + "x";
        } else if (value instanceof Long number) {
            return number + 1;
        } else if (value instanceof Integer number) {
            return number + 1;
        } else if (value instanceof Double number) {
            return number + 1.0;
        } else if (value instanceof Boolean flag) {
            return !flag;
        } else if (value instanceof Instant time) {
            return time.plusMillis(1);
        } else if (value instanceof ByteBuffer) {
            return ByteBuffer.allocate(4);
        } else if (value instanceof List) {
            return List.of("b");
        } else if (value instanceof DenseWeights dense) {
            return new DenseWeights(1, 2, dense.getWeights(), dense.getBiases());
        } else if (value instanceof SpecificRecordBase) {
            return nothing();
        }
        return field.schema().getTypes().get(1).getType() == Schema.Type.LONG
                ? (Object) 1L
                : (Object) 1.0;
    }

    @SuppressWarnings("NullAway") // the other value of a nested record is that there is none
    private static Object nothing() {
        return null;
    }

    @Test
    void whatIsNotFiniteIsRefused() {
        assertRefused(weights(2, 2, 1.0f, Float.NaN, 0.0f, 0.0f), "must be finite");
    }

    @Test
    void aWrongShapeIsRefused() {
        assertRefused(weights(2, 3, 1.0f, 2.0f, 3.0f, 4.0f), "must have 2 x 3 weights, got 4");
        assertRefused(weights(3, 1, 1.0f, 2.0f, 3.0f), "a bias for each of 3 actions, got 2");
        assertRefused(
                weights(2, Integer.MAX_VALUE, 1.0f), "must have 2 x 2147483647 weights, got 1");
        assertRefused(hashed(3, 8), "model.indices must ascend strictly within [0, 8), got 8");
        assertRefused(hashed(0, 0), "bits must be in [1, 30], got 0");
        assertRefused(hashed(30, 0), "bits must be small enough for this JVM's heap");
    }

    private static DenseWeights weights(int actions, int features, float... weights) {
        return new DenseWeights(
                actions, features, PackedNumbers.pack(weights), PackedNumbers.pack(new float[2]));
    }

    private static HashedWeights hashed(int bits, int index) {
        return new HashedWeights(
                bits,
                PackedNumbers.pack(new int[] {index}),
                PackedNumbers.pack(new float[] {1.0f}),
                List.of(),
                true);
    }

    private static void assertRefused(SpecificRecordBase model, String message) {
        assertRefused((PolicySnapshotRecord it) -> it.setModel(model), message);
    }

    private static void assertRefused(Consumer<PolicySnapshotRecord> change, String message) {
        PolicySnapshotRecord record =
                SnapshotConversion.toRecord(PolicySnapshot.of("home", 4, MODEL, Optional.empty()));
        change.accept(record);
        record.setChecksum(SnapshotChecksum.of(record));
        assertThatExceptionOfType(InvalidSnapshotException.class)
                .isThrownBy(() -> SnapshotConversion.fromRecord(record))
                .withMessageContaining(message);
    }

    @Test
    void theRuleByWhichASnapshotIsServedIsPartOfIt() throws InvalidSnapshotException {
        DecisionRule rule =
                new DecisionRule(
                        PolicyKind.MIXED_LOGIT,
                        2.0,
                        0.1,
                        OptionalDouble.of(0.5),
                        PropensityKind.UPPER_BOUND,
                        7);
        PolicySnapshotRecord record = SnapshotConversion.toRecord(served(rule));
        assertThat(record.getPolicy()).isEqualTo("mixedLogit");
        assertThat(record.getPropensityKind()).isEqualTo("upperBound");
        assertThat(record.getPropensityDraws()).isEqualTo(7);
        assertThat(record.getInverseTemperature()).isEqualTo(2.0);
        assertThat(record.getExplorationFloor()).isEqualTo(0.1);
        assertThat(record.getVariance()).isEqualTo(0.5);
        assertThat(SnapshotConversion.fromRecord(record).policy().rule()).isEqualTo(rule);
    }

    /** The variance of a softmax is stored but not used for draws. */
    @Test
    void theVarianceOfASoftmaxIsNotPartOfItsRule() throws InvalidSnapshotException {
        PolicySnapshotRecord record =
                SnapshotConversion.toRecord(PolicySnapshot.of("home", 4, MODEL, Optional.empty()));
        record.setVariance(0.5);
        record.setChecksum(SnapshotChecksum.of(record));
        PolicySnapshot read = SnapshotConversion.fromRecord(record);
        assertThat(read.variance()).hasValue(0.5);
        assertThat(read.decisionRule()).isEqualTo(DecisionRule.PLAIN);
    }

    @Test
    void anInvalidRuleIsRefused() {
        assertRefused(it -> it.setPolicy("greedy"), "policy must be one of softmax, mixedLogit");
        assertRefused(it -> it.setPropensityKind("x"), "propensityKind must be one of exact");
        assertRefused(it -> it.setPolicy("mixedLogit"), "propensityKind must be estimated or");
        assertRefused(it -> it.setExplorationFloor(1.5), "explorationFloor must be");
        assertRefused(it -> it.setInverseTemperature(-1.0), "inverseTemperature must be");
        for (long draws : new long[] {1, -1, Long.MAX_VALUE, Long.MIN_VALUE, (1L << 32) - 5}) {
            assertRefused(it -> it.setPropensityDraws(draws), "propensityDraws must be");
            assertRefused(it -> it.setPropensityDraws(-draws), "propensityDraws must be");
        }
    }

    private static PolicySnapshot served(DecisionRule rule) {
        return new PolicySnapshot(
                "home",
                4,
                OptionalLong.empty(),
                Instant.EPOCH,
                MODEL,
                Optional.empty(),
                rule,
                rule.variance(),
                OptionalDouble.empty(),
                Training.none(),
                Optional.empty());
    }

    @Test
    void aMissingChecksumIsRefused() {
        PolicySnapshotRecord record =
                SnapshotConversion.toRecord(PolicySnapshot.of("home", 4, MODEL, Optional.empty()));
        record.setChecksum("");
        assertThatExceptionOfType(InvalidSnapshotException.class)
                .isThrownBy(() -> SnapshotConversion.fromRecord(record))
                .withMessageContaining("checksum must be");
    }

    @Test
    void aPointerIsVerifiedAndNamesTheLocationOfTheWeights() throws InvalidSnapshotException {
        PolicySnapshot snapshot = PolicySnapshot.of("home", 4, MODEL, Optional.empty());
        PolicySnapshotRecord pointer = SnapshotConversion.toPointer(snapshot, "file:/w", 12);
        SnapshotConversion.verify(pointer);
        assertThat(pointer.getPointer().getChecksum())
                .isEqualTo(SnapshotConversion.toRecord(snapshot).getChecksum());
        assertThatExceptionOfType(InvalidSnapshotException.class)
                .isThrownBy(() -> SnapshotConversion.fromRecord(pointer))
                .withMessageContaining("file:/w");
    }
}
