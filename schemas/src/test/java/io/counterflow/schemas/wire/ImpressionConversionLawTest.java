package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.schemas.Draws;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.DenseFeatures;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.NamedFeaturesText;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.SparseFeatures;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ImpressionConversionLawTest {

    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private ImpressionRecord dense = new ImpressionRecord();

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @BeforeEach
    void drawADenseImpression() {
        long seed = 0;
        do {
            dense = conversion.toRecord(new Draws(seed++).impression());
        } while (!(dense.getFeatures() instanceof DenseFeatures));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anImpressionSurvivesTheWire(long seed) throws UndecodableRecordException {
        Impression impression = new Draws(seed).impression();
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        ImpressionRecord read = codec.decode(codec.encode(conversion.toRecord(impression)));
        assertThat(conversion.fromRecord(read)).isEqualTo(impression);
    }

    @Test
    void drawnImpressionsExcludeActionsOfAllContexts() {
        Set<Object> excluding = new HashSet<>();
        seeds().mapToObj(seed -> conversion.toRecord(new Draws(seed).impression()))
                .filter(record -> !record.getExcludedActions().isEmpty())
                .forEach(record -> excluding.add(record.getFeatures().getClass()));
        assertThat(excluding)
                .containsExactlyInAnyOrder(
                        DenseFeatures.class, SparseFeatures.class, NamedFeaturesText.class);
    }

    @Test
    void excludedActionsLieInARecordInOrder() {
        dense.setAction(1);
        dense.setDistribution(List.of());
        dense.setExcludedActions(List.of(4, 0, 4));
        Impression impression = conversion.fromRecord(dense);
        assertThat(impression.choice().allowed()).isEqualTo(AllowedActions.allBut(0, 4));
        assertThat(conversion.toRecord(impression).getExcludedActions()).containsExactly(0, 4);
    }

    @Test
    void invalidExcludedActionsAndTheChosenOneAreRefused() {
        dense.setDistribution(List.of());
        dense.setExcludedActions(List.of(-1));
        assertRefused("excludedActions must be at least 0, got -1");
        dense.setExcludedActions(List.of(dense.getAction()));
        assertRefused("excludedActions must not hold the chosen action");
    }

    @Test
    void aPropensityKindOfALaterVersionIsRefused() {
        dense.setPropensityKind(PropensityKindRecord.UNKNOWN);
        assertRefused("propensityKind");
    }

    @Test
    void halfAFloatIsRefused() {
        dense.setFeatures(new DenseFeatures(ByteBuffer.allocate(7)));
        assertRefused("features.values");
    }

    @Test
    void aNegativeDimensionIsRefused() {
        dense.setFeatures(new SparseFeatures(-1, List.of(), ByteBuffer.allocate(0)));
        assertRefused("features.dimension must be at least 0, got -1");
    }

    @Test
    void aVectorWithActionsOfItsOwnIsRefused() {
        dense.setActions(List.of(new NamedActionRecord("a", "{}")));
        assertRefused("actions must be absent");
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        dense.setReward(Double.NaN);
        assertRefused("reward must be in [0, 1], got NaN");
    }

    @Test
    void aNegativeWindowIsRefused() {
        dense.setAttributionWindowMs(Long.MIN_VALUE);
        assertRefused("attributionWindow");
    }

    private void assertRefused(String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> conversion.fromRecord(dense))
                .withMessageContaining(message);
    }
}
