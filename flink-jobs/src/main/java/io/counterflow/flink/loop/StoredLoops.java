package io.counterflow.flink.loop;

import io.counterflow.core.loop.BufferState;
import io.counterflow.core.loop.LearnerProgress;
import io.counterflow.core.loop.LearnerState;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.FormerSpecs;
import io.counterflow.flink.state.BlockCache;
import io.counterflow.flink.state.KeyedStorage;
import io.counterflow.flink.state.LoopStateConversion;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.LoopStore;
import io.counterflow.flink.state.RewardModelConversion;
import io.counterflow.flink.windows.PaneStore;
import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.LoopSpecsRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.UndecodableRecordException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads loops from keyed state and writes them back. */
final class StoredLoops implements LoopStore<LoopSlot> {

    private static final Logger LOGGER = LoggerFactory.getLogger(StoredLoops.class);

    private final LoopOperatorConfig config;
    private final LoopStates states;
    private final PaneStore panes;
    private final BlockCache blocks;
    private final Consumer<String> setCurrentKey;
    private final Runnable loaded;

    /**
     * @param setCurrentKey makes the key of a loop current
     * @param loaded called for each loop that is read from state
     */
    StoredLoops(
            LoopOperatorConfig config,
            LoopStates states,
            PaneStore panes,
            BlockCache blocks,
            Consumer<String> setCurrentKey,
            Runnable loaded) {
        this.config = config;
        this.states = states;
        this.panes = panes;
        this.blocks = blocks;
        this.setCurrentKey = setCurrentKey;
        this.loaded = loaded;
    }

    @Override
    public LoopSlot load(String loop) throws Exception {
        setCurrentKey.accept(loop);
        long sequence = LoopSlot.UNKNOWN_SEQUENCE; // until it is decoded
        try {
            @Nullable QuarantineRecord quarantine = states.quarantine().value();
            if (quarantine != null) {
                return new LoopSlot(Optional.empty(), Optional.of(quarantine));
            }
            @Nullable LoopStateRecord record = states.loop().value();
            if (record == null) {
                return new LoopSlot(Optional.empty(), Optional.empty());
            }
            loaded.run();
            sequence = record.getSequence();
            return new LoopSlot(Optional.of(restored(loop, record)), Optional.empty());
        } catch (FlinkRuntimeException e) {
            throw e; // the state backend, not the loop
        } catch (UndecodableRecordException | RuntimeException e) {
            LOGGER.error(
                    "loop {} cannot be restored and is quarantined; its state stays as it is, so a release that can restore it continues",
                    loop,
                    QuietFailure.of(e));
            return new LoopSlot(
                    Optional.empty(),
                    Optional.of(
                            new QuarantineRecord(
                                    "its state cannot be restored: " + e.getClass().getSimpleName(),
                                    sequence)));
        }
    }

    private LoadedLoop restored(String name, LoopStateRecord record) throws Exception {
        LoopSpecsRecord specs = Objects.requireNonNull(states.specs().value(), "specs");
        LearnedStateRecord learned = Objects.requireNonNull(states.learned().value(), "learned");
        FormerSpecs former =
                new FormerSpecs(
                        specs.getFormer().stream().map(LoopSpecConversion::fromRecord).toList());
        LoopSpec inForce = LoopSpecConversion.fromRecord(specs.getInForce());
        LearnerProgress progress = LoopStateConversion.fromRecord(record.getProgress());
        KeyedStorage storage = new KeyedStorage(name, states, blocks, inForce.shape().zeros());
        BufferState buffer =
                new BufferState(
                        LoopStateConversion.fromRecords(learned.getBlocks()),
                        storage.readOpen(record.getOpenExamples(), progress.received()));
        float[] parameters = PackedNumbers.floats("parameters", learned.getParameters());
        LearnerState learner =
                new LearnerState(
                        progress,
                        parameters.length == 0
                                ? parameters
                                : FlatParameters.of(
                                        storage.parameters(progress.priorVersion())
                                                .orElseThrow()
                                                .model()),
                        parameters,
                        PackedNumbers.floats("squaredGradientSum", learned.getSquaredGradientSum()),
                        buffer,
                        Optional.ofNullable(states.rewardModel().value())
                                .map(RewardModelConversion::fromRecord),
                        RewardModelConversion.fromRecord(record.getEvidence()));
        LearningLoop loop =
                LearningLoop.restore(
                        inForce,
                        Optional.ofNullable(specs.getWaiting()).map(LoopSpecConversion::fromRecord),
                        config.limits(),
                        learner,
                        LoopStateConversion.fromRecord(record.getGate()),
                        Optional.ofNullable(record.getHoldout())
                                .map(LoopStateConversion::fromRecord),
                        storage);
        LoadedLoop loaded =
                new LoadedLoop(
                        loop,
                        former,
                        storage,
                        panes.load(name),
                        new RecentCommands(record.getRecentCommands()),
                        record.getStartedMicros(),
                        record.getSequence(),
                        record.getTimeMicros(),
                        config);
        loaded.parts().restored(loop, former);
        return loaded;
    }

    @Override
    public void write(String loop, LoopSlot slot) throws Exception {
        setCurrentKey.accept(loop);
        if (slot.hasFailed()) { // not if it cannot be restored: a later release may be able to
            states.quarantine().update(slot.quarantine().orElseThrow());
        }
        if (slot.loop().isEmpty()) {
            return;
        }
        LoadedLoop it = slot.loop().get();
        LoopLearner learner = it.loop().learner();
        it.storage().writeOpen(learner.openExamples(), learner.received());
        it.parts().write(it.loop(), it.former(), states);
        LoopStateRecord record = new LoopStateRecord();
        record.setStartedMicros(it.startedMicros());
        record.setSequence(it.sequence());
        record.setTimeMicros(it.timeMicros());
        record.setRecentCommands(it.commands().ids());
        record.setProgress(LoopStateConversion.toRecord(learner.progress()));
        record.setOpenExamples(learner.openExamples().size());
        record.setEvidence(RewardModelConversion.toRecord(learner.evidenceState()));
        record.setGate(LoopStateConversion.toRecord(it.loop().gate().state()));
        record.setHoldout(
                it.loop().holdout().state().map(LoopStateConversion::toRecord).orElse(null));
        states.loop().update(record);
        panes.write(it.windows());
    }

    @Override
    public long weigh(LoopSlot slot) {
        return slot.bytes();
    }
}
