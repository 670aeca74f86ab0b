package io.counterflow.schemas.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import io.counterflow.schemas.SpecDraws;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LoopSpecConversionLawTest {

    private static final PolicySnapshot START =
            PolicySnapshot.of("any", 7, DenseModel.zeros(2, 3), Optional.empty());

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    private static LoopSpec dense() {
        return LoopSpec.builder("home").vectors(3, "a", "b").build();
    }

    private static LoopSpec hashed() {
        return LoopSpec.builder("home").names(4).build();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aSpecSurvivesTheWire(long seed) throws UndecodableRecordException {
        LoopSpec spec = new SpecDraws(seed).spec();
        WireCodec<LoopSpecRecord> codec = WireCodec.of(LoopSpecRecord.class);
        LoopSpecRecord record = LoopSpecConversion.toRecord(spec);
        LoopSpec read = LoopSpecConversion.fromRecord(codec.decode(codec.encode(record)));
        assertThat(LoopSpecConversion.toRecord(read)).isEqualTo(record);
        assertThat(read).isEqualTo(spec).hasSameHashCodeAs(spec);
        for (Setting<?> setting : LoopSettings.ALL) {
            assertThat((Object) read.get(setting)).as(setting.name()).isEqualTo(spec.get(setting));
        }
    }

    @Test
    void everySettingIsDrawnOtherThanByDefault() {
        Set<Setting<?>> never = new HashSet<>(LoopSettings.ALL);
        seeds().forEach(
                        seed -> {
                            LoopSpec spec = new SpecDraws(seed).spec();
                            never.removeIf(it -> !spec.get(it).equals(it.defaultValue()));
                        });
        assertThat(never).isEmpty();
    }

    /** A new setting needs only an entry in the table and a field of the schema. */
    @Test
    void everySettingIsAFieldOfTheSchemaInTheOrderOfTheTable() {
        List<String> expected = new ArrayList<>(List.of("loop", "version", "time"));
        LoopSettings.ALL.forEach(setting -> expected.add(setting.name()));
        assertThat(LoopSpecRecord.getClassSchema().getFields())
                .extracting(Schema.Field::name)
                .isEqualTo(expected);
    }

    static List<Setting<?>> settings() {
        return LoopSettings.ALL;
    }

    @ParameterizedTest
    @MethodSource("settings")
    void theFieldOfASettingHasTheTypeOfItsKind(Setting<?> setting) {
        Schema.Field field = LoopSpecRecord.getClassSchema().getField(setting.name());
        assertThat(typeOf(field.schema()))
                .isEqualTo(
                        switch (setting.kind()) {
                            case NUMBER -> "double";
                            case OPTIONAL_NUMBER -> "null or double";
                            case WHOLE -> "long";
                            case OPTIONAL_WHOLE -> "null or long";
                            case FLAG -> "boolean";
                            case DURATION, WORD -> "string";
                            case REWARD_RANGE -> "array of double";
                            case INTERACTIONS -> "array of string";
                            case ACTIONS -> "array of NamedActionRecord";
                            case SNAPSHOT -> "null or PolicySnapshotRecord";
                        });
    }

    private static String typeOf(Schema schema) {
        return switch (schema.getType()) {
            case ARRAY -> "array of " + typeOf(schema.getElementType());
            case UNION ->
                    String.join(
                            " or ",
                            schema.getTypes().stream()
                                    .map(LoopSpecConversionLawTest::typeOf)
                                    .toList());
            default -> schema.getName();
        };
    }

    @ParameterizedTest
    @MethodSource("settings")
    void theFieldOfASettingHasTheDefaultOfTheTable(Setting<?> setting) {
        Schema.Field field = LoopSpecRecord.getClassSchema().getField(setting.name());
        LoopSpec byDefault = setting == LoopSettings.BITS ? dense() : hashed();
        assertThat((Object) byDefault.get(setting)).isEqualTo(setting.defaultValue());
        assertThat(GenericData.get().getDefaultValue(field))
                .isEqualTo(LoopSpecConversion.toRecord(byDefault).get(field.pos()));
    }

    /**
     * Changes each setting of drawn specs: every change that gives a valid spec gives another
     * digest.
     */
    @Test
    void aDigestIgnoresVersionAndTimeAndNothingElse() {
        Set<Setting<?>> never = new HashSet<>(LoopSettings.ALL);
        seeds().forEach(
                        seed -> {
                            LoopSpec spec = new SpecDraws(seed).spec();
                            LoopSpec other = new SpecDraws(seed + 1_000).spec();
                            String digest = LoopSpecConversion.digest(spec);
                            LoopSpec later =
                                    spec.toBuilder()
                                            .at(7_000_000, Instant.ofEpochSecond(7))
                                            .build();
                            assertThat(LoopSpecConversion.digest(later))
                                    .isEqualTo(digest)
                                    .hasSize(64);
                            for (Setting<?> setting : LoopSettings.ALL) {
                                Optional<LoopSpec> mixed = mixed(spec, setting, other);
                                if (mixed.isPresent()) {
                                    never.remove(setting);
                                    assertThat(LoopSpecConversion.digest(mixed.get()))
                                            .as("%s, seed %d", setting, seed)
                                            .isNotEqualTo(digest);
                                }
                            }
                        });
        // A mixed logit differs from a softmax in its kind of propensity as well.
        assertThat(never).containsExactly(LoopSettings.POLICY);
        LoopSpec mixedLogit =
                hashed().toBuilder()
                        .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                        .set(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED)
                        .set(LoopSettings.VARIANCE, OptionalDouble.of(1.0))
                        .build();
        assertThat(
                        Set.of(
                                LoopSpecConversion.digest(mixedLogit),
                                LoopSpecConversion.digest(hashed()),
                                LoopSpecConversion.digest(
                                        LoopSpec.builder("other").names(4).build())))
                .hasSize(3);
    }

    /** The spec with one setting of another spec; empty if that is the same or invalid. */
    private static <T> Optional<LoopSpec> mixed(LoopSpec spec, Setting<T> setting, LoopSpec other) {
        try {
            LoopSpec mixed = spec.with(setting, other.get(setting));
            return mixed.equals(spec) ? Optional.empty() : Optional.of(mixed);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Test
    void wordsOfALaterVersionAreRefused() {
        assertRefused(
                it -> it.setPolicy("thompson"),
                "policy must be one of softmax, mixedLogit, got \"thompson\"");
        assertRefused(it -> it.setPropensityKind("guessed"), "propensityKind must be one of exact");
        assertRefused(it -> it.setRolloutMode("GATED"), "rolloutMode must be one of manual");
        assertRefused(it -> it.setRewardAggregation("mean"), "rewardAggregation must be one of");
        assertRefused(it -> it.setUnloggedDecision(""), "unloggedDecision must be one of refuse");
    }

    @Test
    void aStartingPolicyThatIsStoredElsewhereIsRefused() {
        assertRefused(
                it -> it.setStartingPolicy(SnapshotConversion.toPointer(START, "s3://x", 1)),
                "startingPolicy must carry its weights, got a pointer");
    }

    @Test
    void aStartingPolicyThatWasTamperedWithIsRefused() {
        PolicySnapshotRecord tampered = SnapshotConversion.toRecord(START);
        tampered.setVersion(8);
        assertRefused(it -> it.setStartingPolicy(tampered), "startingPolicy is invalid: checksum");
    }

    @Test
    void anObjectiveThatAStreamCannotLearnIsRefused() {
        assertRefused(it -> it.setObjective("poem"), "objective must be one of");
        assertRefused(it -> it.setObjective("x".repeat(100_000)), "got \"" + "x".repeat(40) + "\"");
    }

    @Test
    void invalidDurationsAreRefused() {
        assertRefused(it -> it.setAttributionWindow("-PT1S"), "attributionWindow must be at least");
        assertRefused(it -> it.setSnapshotInterval("365001d"), "snapshotInterval must be at least");
        assertRefused(
                it -> it.setSnapshotInterval("soon"),
                "snapshotInterval must be a duration like 30s, 10m or 1h30m, got \"soon\"");
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        assertRefused(it -> it.setTau(Double.NaN), "tau must be in [1e-12, 1], got NaN");
        assertRefused(it -> it.setBatchSize(0), "batchSize must be in [1, 1e7], got 0");
        assertRefused(it -> it.setNormBound(-1.0), "normBound must be in (0, 1e15], got -1");
        assertRefused(it -> it.setBits(4L), "got both");
        assertRefused(it -> it.setVersion(0), "version must be at least 1, got 0");
    }

    @Test
    void featuresOfAnActionThatAreNotJsonAreRefused() {
        assertRefused(
                it -> it.setActions(List.of(new NamedActionRecord("a", "{"))),
                "actions[0].features must be JSON");
    }

    private static void assertRefused(Consumer<LoopSpecRecord> change, String message) {
        LoopSpecRecord record = LoopSpecConversion.toRecord(dense());
        change.accept(record);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopSpecConversion.fromRecord(record))
                .withMessageContaining(message);
    }
}
