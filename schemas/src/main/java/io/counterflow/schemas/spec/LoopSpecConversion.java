package io.counterflow.schemas.spec;

import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import io.counterflow.core.text.DurationText;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.text.Sha256;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Converts loop specs to records and back. Each setting is a field with the same name and the type
 * of its kind.
 */
public final class LoopSpecConversion {

    private static final Schema SCHEMA = LoopSpecRecord.getClassSchema();
    private static final NamedFeaturesJson FEATURES = new NamedFeaturesJson(JsonLimits.defaults());

    private LoopSpecConversion() {}

    public static LoopSpecRecord toRecord(LoopSpec spec) {
        LoopSpecRecord record = new LoopSpecRecord();
        record.setLoop(spec.loop());
        record.setVersion(spec.version());
        record.setTime(spec.time());
        for (Setting<?> setting : LoopSettings.ALL) {
            record.put(position(setting), toAvro(setting, spec.get(setting)));
        }
        return record;
    }

    private static int position(Setting<?> setting) {
        return SCHEMA.getField(setting.name()).pos();
    }

    private static @Nullable Object toAvro(Setting<?> setting, Object value) {
        return switch (setting.kind()) {
            case NUMBER, WHOLE, FLAG -> value;
            case OPTIONAL_NUMBER -> Optionals.orNull((OptionalDouble) value);
            case OPTIONAL_WHOLE -> Optionals.orNull((OptionalLong) value);
            case DURATION -> DurationText.format((Duration) value);
            case WORD -> Setting.wordOf(value);
            case REWARD_RANGE -> {
                RewardRange range = (RewardRange) value;
                yield List.of(range.low(), range.high());
            }
            case INTERACTIONS -> ((List<?>) value).stream().map(Object::toString).toList();
            case ACTIONS ->
                    ((List<?>) value).stream().map(it -> toRecord((NamedAction) it)).toList();
            case SNAPSHOT ->
                    ((Optional<?>) value)
                            .map(it -> SnapshotConversion.toRecord((PolicySnapshot) it))
                            .orElse(null);
        };
    }

    private static NamedActionRecord toRecord(NamedAction action) {
        return new NamedActionRecord(action.id(), NamedFeaturesJson.write(action.features()));
    }

    /**
     * The spec of a record. If it is invalid, an {@link IllegalArgumentException} names the field.
     */
    public static LoopSpec fromRecord(LoopSpecRecord record) {
        LoopSpec.Builder builder =
                LoopSpec.builder(record.getLoop()).at(record.getVersion(), record.getTime());
        for (Setting<?> setting : LoopSettings.ALL) {
            set(builder, setting, record.get(position(setting)));
        }
        return builder.build();
    }

    /** The number of parameters of a version, without creating one; 0 if the spec is invalid. */
    public static long parameterCount(LoopSpecRecord record) {
        Long bits = record.getBits();
        Long features = record.getFeatures();
        if (bits != null) {
            return bits >= 1 && bits <= LoopShape.MAX_BITS ? 1L << bits : 0;
        }
        return features != null && features <= LoopShape.MAX_FEATURES
                ? Math.max(0, features + 1) * record.getActions().size()
                : 0;
    }

    @SuppressWarnings("unchecked") // fromAvro returns the type of the setting's kind
    private static <T> void set(
            LoopSpec.Builder builder, Setting<T> setting, @Nullable Object stored) {
        builder.set(setting, (T) fromAvro(setting, stored));
    }

    private static Object fromAvro(Setting<?> setting, @Nullable Object stored) {
        return switch (setting.kind()) {
            case NUMBER, WHOLE, FLAG -> Objects.requireNonNull(stored);
            case OPTIONAL_NUMBER -> Optionals.of((Double) stored);
            case OPTIONAL_WHOLE ->
                    stored == null ? OptionalLong.empty() : OptionalLong.of((Long) stored);
            case DURATION -> duration(setting, (String) Objects.requireNonNull(stored));
            case WORD ->
                    Objects.requireNonNull(
                            setting.constant((String) Objects.requireNonNull(stored)));
            case REWARD_RANGE -> rewardRange(setting, (List<?>) Objects.requireNonNull(stored));
            case INTERACTIONS ->
                    ((List<?>) Objects.requireNonNull(stored))
                            .stream().map(it -> Interaction.parse((String) it)).toList();
            case ACTIONS -> actions((List<?>) Objects.requireNonNull(stored));
            case SNAPSHOT ->
                    Optional.ofNullable((PolicySnapshotRecord) stored)
                            .map(it -> snapshot(setting, it));
        };
    }

    private static RewardRange rewardRange(Setting<?> setting, List<?> stored) {
        Require.that(stored.size() == 2, "%s must be two numbers, got %d", setting, stored.size());
        return new RewardRange((Double) stored.get(0), (Double) stored.get(1));
    }

    private static Duration duration(Setting<?> setting, String text) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(setting + " " + e.getMessage(), e);
        }
    }

    private static List<NamedAction> actions(List<?> records) {
        List<NamedAction> actions = new ArrayList<>();
        for (Object each : records) {
            NamedActionRecord record = (NamedActionRecord) each;
            actions.add(new NamedAction(record.getId(), features(record, actions.size())));
        }
        return actions;
    }

    private static NamedFeatures features(NamedActionRecord action, int position) {
        try {
            return FEATURES.read(action.getFeatures());
        } catch (InvalidJsonException e) {
            throw new IllegalArgumentException(
                    "actions[%d].features %s".formatted(position, e.getMessage()), e);
        }
    }

    private static PolicySnapshot snapshot(Setting<?> setting, PolicySnapshotRecord record) {
        if (record.getPointer() != null) {
            throw new IllegalArgumentException(
                    setting + " must carry its weights, got a pointer to where they are");
        }
        try {
            return SnapshotConversion.fromRecord(record);
        } catch (InvalidSnapshotException e) {
            throw new IllegalArgumentException(setting + " is invalid: " + e.getMessage(), e);
        }
    }

    /**
     * SHA-256 of the settings of a spec, without version and time, in lower-case hexadecimal
     * digits. The input is the wire form of the spec with version 1 and the epoch as time.
     */
    public static String digest(LoopSpec spec) {
        LoopSpecRecord record = toRecord(spec.toBuilder().at(1, Instant.EPOCH).build());
        byte[] bytes = WireCodec.of(LoopSpecRecord.class).encode(record);
        return Sha256.hex(bytes);
    }
}
