package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.SpecDraws;
import io.counterflow.schemas.record.HashedShape;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.PolicyKindRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.UnloggedDecisionRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LoopSpecConversionLawTest {

    private static final PolicySnapshot START =
            PolicySnapshot.of("any", 7, DenseModel.zeros(2, 3), Optional.empty());

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    private static LoopSpecRecord dense() {
        return LoopSpecConversion.toRecord(
                LoopSpec.of("home", Instant.EPOCH, new LoopShape.Dense(List.of("a", "b"), 3)));
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
        assertThat(read.decisions()).isEqualTo(spec.decisions());
        assertThat(read.learning()).isEqualTo(spec.learning());
        assertThat(read.rollout()).isEqualTo(spec.rollout());
        assertThat(read.rewardRule()).isEqualTo(spec.rewardRule());
        assertThat(read.shape()).isEqualTo(spec.shape());
        assertThat(read.normBound()).isEqualTo(spec.normBound());
    }

    @Test
    void constantsOfALaterVersionAreRefused() {
        assertRefused(it -> it.setPolicy(PolicyKindRecord.UNKNOWN), "policy must be a known");
        assertRefused(
                it -> it.setPropensityKind(PropensityKindRecord.UNKNOWN), "propensityKind must be");
        assertRefused(
                it -> it.setRolloutMode(RolloutModeRecord.UNKNOWN),
                "rolloutMode must be a known one, got one of a later version");
        assertRefused(
                it -> it.setRewardAggregation(RewardAggregationRecord.UNKNOWN),
                "rewardAggregation must be");
        assertRefused(
                it -> it.setUnloggedDecision(UnloggedDecisionRecord.UNKNOWN),
                "unloggedDecision must be");
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
        assertRefused(it -> it.setObjective("poem"), "train it offline");
        assertRefused(it -> it.setObjective("x".repeat(100_000)), "got \"" + "x".repeat(40) + "\"");
    }

    @Test
    void durationsOutOfRangeAreRefused() {
        assertRefused(it -> it.setAttributionWindowMs(-1), "attributionWindow must be in");
        assertRefused(
                it -> it.setSnapshotIntervalMs(Long.MAX_VALUE), "snapshotInterval must be in");
    }

    @Test
    void featuresOfAnActionThatAreNoJsonAreRefused() {
        HashedShape shape =
                new HashedShape(4, List.of(), true, List.of(new NamedActionRecord("a", "{")));
        assertRefused(it -> it.setShape(shape), "actions[0].features must be JSON");
    }

    private static void assertRefused(Consumer<LoopSpecRecord> change, String message) {
        LoopSpecRecord record = dense();
        change.accept(record);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopSpecConversion.fromRecord(record))
                .withMessageContaining(message);
    }
}
