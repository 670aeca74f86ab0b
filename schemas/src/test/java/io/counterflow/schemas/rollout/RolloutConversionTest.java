package io.counterflow.schemas.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.GateBounds;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.RolloutStageRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RolloutConversionTest {

    private static final Rollout CANARY =
            new Rollout(
                    Stage.CANARY,
                    3,
                    OptionalLong.of(5),
                    List.of(),
                    OptionalLong.of(2),
                    0.25,
                    true,
                    Optional.empty());
    private static final RolloutCommand COMMAND =
            new RolloutCommand(
                    RolloutCommand.Action.CANARY,
                    OptionalLong.of(5),
                    OptionalDouble.of(0.25),
                    "looks good");

    private static final PolicySnapshot SNAPSHOT =
            PolicySnapshot.of(
                    "elsewhere",
                    4,
                    new DenseModel(new float[][] {{1.5f, -2f}, {0f, 3f}}, new float[] {0.25f, 0f}),
                    Optional.empty());

    private static RolloutRecord record() {
        return RolloutConversion.toRecord(
                new RolloutChange(
                        7,
                        RolloutChange.Kind.CANARY,
                        CANARY,
                        "asked for",
                        Optional.of(
                                new GateBounds(
                                        0.1, 0.2, -0.3, OptionalDouble.of(-0.4), 400, 0.05))),
                "home",
                1_500_000,
                RolloutMode.GATED,
                Optional.of("c-1"),
                9);
    }

    private static RolloutCommandRecord command() {
        return RolloutCommandConversion.toRecord(
                COMMAND, "c-1", "home", Instant.ofEpochSecond(5), "ann");
    }

    @Test
    void aRecordContainsTheWholeChange() {
        RolloutRecord record = record();
        assertThat(record.getLoop()).isEqualTo("home");
        assertThat(record.getSequence()).isEqualTo(7);
        assertThat(record.getTime()).isEqualTo(Instant.ofEpochMilli(1_500));
        assertThat(record.getKind()).isEqualTo(RolloutKindRecord.CANARY);
        assertThat(record.getMode()).isEqualTo(RolloutModeRecord.GATED);
        assertThat(record.getCommandId()).isEqualTo("c-1");
        assertThat(record.getCandidateLowerBound()).isEqualTo(0.1);
        assertThat(record.getActiveUpperBound()).isEqualTo(0.2);
        assertThat(record.getDifferenceLowerBound()).isEqualTo(-0.3);
        assertThat(record.getGuardrailLowerBound()).isEqualTo(-0.4);
        assertThat(record.getComparedExamples()).isEqualTo(400);
        assertThat(record.getSpecVersion()).isEqualTo(9);
        assertThat(record.getReason()).isEqualTo("asked for");
    }

    @Test
    void theRolloutSurvivesTheWire() throws UndecodableRecordException {
        SplittableRandom random = new SplittableRandom(3);
        WireCodec<RolloutRecord> codec = WireCodec.of(RolloutRecord.class);
        for (RolloutChange.Kind kind : RolloutChange.Kind.values()) {
            for (Stage stage : Stage.values()) {
                Rollout rollout =
                        new Rollout(
                                stage,
                                random.nextLong(100),
                                stage == Stage.SHADOW || stage == Stage.CANARY
                                        ? OptionalLong.of(random.nextLong(100))
                                        : OptionalLong.empty(),
                                List.of(),
                                random.nextBoolean() ? OptionalLong.of(1) : OptionalLong.empty(),
                                stage == Stage.CANARY ? 0.5 : 0.0,
                                random.nextBoolean(),
                                Optional.empty());
                RolloutRecord record =
                        RolloutConversion.toRecord(
                                new RolloutChange(1, kind, rollout, "", Optional.empty()),
                                "home",
                                0,
                                RolloutMode.MANUAL,
                                Optional.empty(),
                                1);
                assertThat(RolloutConversion.fromRecord(codec.decode(codec.encode(record))))
                        .isEqualTo(rollout);
            }
        }
    }

    @Test
    void anInvalidRolloutIsRefused() {
        RolloutRecord later = record();
        later.setStage(RolloutStageRecord.UNKNOWN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RolloutConversion.fromRecord(later))
                .withMessage("stage must be a known one, got one of a later version");
        RolloutRecord full = record();
        full.setStage(RolloutStageRecord.FULL);
        assertThatIllegalArgumentException().isThrownBy(() -> RolloutConversion.fromRecord(full));
        RolloutRecord negative = record();
        negative.setActiveVersion(-1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RolloutConversion.fromRecord(negative))
                .withMessage("activeVersion must be at least 0, got -1");
    }

    @ParameterizedTest
    @EnumSource(RolloutCommand.Action.class)
    void aCommandSurvivesTheWire(RolloutCommand.Action action) throws UndecodableRecordException {
        boolean registers = action == RolloutCommand.Action.REGISTER;
        RolloutCommand asked =
                new RolloutCommand(
                        action,
                        registers ? OptionalLong.empty() : OptionalLong.of(2),
                        action == RolloutCommand.Action.CANARY
                                ? OptionalDouble.of(0.1)
                                : OptionalDouble.empty(),
                        registers
                                ? Optional.of(new RegisteredPolicy.Snapshot(SNAPSHOT))
                                : Optional.empty(),
                        "why");
        WireCodec<RolloutCommandRecord> codec = WireCodec.of(RolloutCommandRecord.class);
        RolloutCommandRecord record =
                codec.decode(
                        codec.encode(
                                RolloutCommandConversion.toRecord(
                                        asked, "c-2", "home", Instant.EPOCH, "ann")));
        assertThat(RolloutCommandConversion.fromRecord(record))
                .usingRecursiveComparison()
                .isEqualTo(asked);
        assertThat(record.getRequestedBy()).isEqualTo("ann");
        assertThat(record.getCommandId()).isEqualTo("c-2");
    }

    @Test
    void shortFormsOfRegistrationsSurviveTheWire() {
        for (RegisteredPolicy policy :
                List.of(
                        new RegisteredPolicy.GreedyOf(3),
                        new RegisteredPolicy.ConstantAction("sport"))) {
            RolloutCommand command = RolloutCommand.register(policy, "why");
            RolloutCommandRecord record =
                    RolloutCommandConversion.toRecord(command, "c-2", "home", Instant.EPOCH, "ann");
            assertThat(RolloutCommandConversion.fromRecord(record)).isEqualTo(command);
        }
    }

    @Test
    void anInvalidCommandIsRefused() {
        assertRefused(
                it -> it.setAction(RolloutActionRecord.UNKNOWN), "action must be a known one");
        assertRefused(it -> it.setShare(1.5), "share must be in (0, 1), got 1.5");
        assertRefused(it -> it.setShare(Double.NaN), "share must be in (0, 1), got NaN");
        assertRefused(it -> it.setShare(null), "share must be present");
        assertRefused(
                it -> it.setSnapshot(SnapshotConversion.toRecord(SNAPSHOT)),
                "snapshot, greedyOf or constantAction must be present exactly for register, got one for canary");
        assertRefused(it -> it.setVersion(-1L), "version must be at least 0, got -1");
        assertRefused(it -> it.setLoop("a b"), "loop must be");
        assertRefused(it -> it.setCommandId(""), "commandId must not be empty");
        assertRefused(
                it -> it.setCommandId("x".repeat(201)),
                "commandId must be at most 200 characters, got 201");
        assertRefused(it -> it.setRequestedBy("x".repeat(201)), "requestedBy must be at most 200");
        assertRefused(it -> it.setReason("x".repeat(2_001)), "reason must be at most 2000");
    }

    @Test
    void anInvalidRegistrationIsRefused() {
        assertRegistrationRefused(
                it -> it.setSnapshot(null),
                "snapshot, greedyOf or constantAction must be present exactly for register, got none");
        assertRegistrationRefused(
                it -> it.setVersion(3L), "version must be absent for register, got 3");
        assertRegistrationRefused(
                it -> it.getSnapshot().setExamples(7), "snapshot is invalid: checksum must be");
        assertRegistrationRefused(
                it -> it.setSnapshot(SnapshotConversion.toPointer(SNAPSHOT, "file:/weights", 100)),
                "snapshot is invalid: the weights are stored elsewhere");
        assertRegistrationRefused(
                it -> it.setGreedyOf(3L),
                "only one of snapshot, greedyOf and constantAction must be present, got 2");
        assertRegistrationRefused(
                it -> {
                    it.setSnapshot(null);
                    it.setGreedyOf(-1L);
                },
                "greedyOf must be at least 0, got -1");
        assertRegistrationRefused(
                it -> {
                    it.setSnapshot(null);
                    it.setConstantAction("x".repeat(1_001));
                },
                "constantAction must be at most 1000 characters, got 1001");
    }

    private static void assertRegistrationRefused(
            Consumer<RolloutCommandRecord> change, String message) {
        RolloutCommandRecord record =
                RolloutCommandConversion.toRecord(
                        RolloutCommand.register(SNAPSHOT, "why"),
                        "c-3",
                        "home",
                        Instant.EPOCH,
                        "ann");
        change.accept(record);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RolloutCommandConversion.fromRecord(record))
                .withMessageContaining(message);
    }

    private static void assertRefused(Consumer<RolloutCommandRecord> change, String message) {
        RolloutCommandRecord record = command();
        change.accept(record);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RolloutCommandConversion.fromRecord(record))
                .withMessageContaining(message);
    }
}
