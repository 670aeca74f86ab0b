package io.counterflow.flink.loop;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.LearnerProgress;
import io.counterflow.core.loop.LearnerState;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.FormerSpecs;
import io.counterflow.flink.state.KeptVersions;
import io.counterflow.flink.state.LoopStateConversion;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.LoopStore;
import io.counterflow.flink.state.StoredBuffer;
import io.counterflow.flink.windows.PaneStore;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import java.util.ArrayList;
import java.util.List;
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
            Consumer<String> setCurrentKey,
            Runnable loaded) {
        this.config = config;
        this.states = states;
        this.panes = panes;
        this.setCurrentKey = setCurrentKey;
        this.loaded = loaded;
    }

    @Override
    public LoopSlot load(String loop) throws Exception {
        setCurrentKey.accept(loop);
        @Nullable QuarantineRecord quarantine = states.quarantine().value();
        if (quarantine != null) {
            return new LoopSlot(Optional.empty(), Optional.of(quarantine));
        }
        @Nullable LoopStateRecord record = states.loop().value();
        if (record == null) {
            return new LoopSlot(Optional.empty(), Optional.empty());
        }
        loaded.run();
        try {
            return new LoopSlot(Optional.of(restored(loop, record)), Optional.empty());
        } catch (FlinkRuntimeException e) {
            throw e; // the state backend, not the loop
        } catch (RuntimeException e) {
            LOGGER.error("loop {} cannot be restored and is quarantined", loop, e);
            return new LoopSlot(
                    Optional.empty(),
                    Optional.of(
                            new QuarantineRecord(
                                    "its state cannot be restored: " + e.getClass().getSimpleName(),
                                    record.getSequence())));
        }
    }

    private LoadedLoop restored(String name, LoopStateRecord record) throws Exception {
        List<LoopSpec> former = new ArrayList<>();
        for (LoopSpecRecord spec : record.getFormerSpecs()) {
            former.add(spec(spec));
        }
        Optional<LoopSpec> waiting =
                record.getWaitingSpec() == null
                        ? Optional.empty()
                        : Optional.of(spec(record.getWaitingSpec()));
        LoopSpec inForce = spec(record.getSpec());
        LearnerProgress progress = LoopStateConversion.fromRecord(record.getProgress());
        int buffered = record.getProgress().getBuffered();
        KeptVersions versions = new KeptVersions(states.versions(), inForce.shape().zeros());
        List<LoggedExample> examples = new ArrayList<>(buffered);
        StoredBuffer buffer =
                StoredBuffer.restore(states.examples(), progress.received(), buffered, examples);
        LearnerState learner =
                new LearnerState(
                        progress,
                        FlatParameters.of(
                                versions.parameters(progress.priorVersion()).orElseThrow().model()),
                        PackedNumbers.floats("parameters", record.getParameters()),
                        PackedNumbers.floats("squaredGradientSum", record.getSquaredGradientSum()),
                        examples);
        LearningLoop loop =
                LearningLoop.restore(
                        inForce,
                        waiting,
                        config.limits(),
                        learner,
                        LoopStateConversion.fromRecord(record.getGate()),
                        versions);
        return new LoadedLoop(
                loop,
                new FormerSpecs(former),
                buffer,
                panes.load(name),
                new RecentCommands(record.getRecentCommands()),
                record.getSequence(),
                record.getTimeMicros(),
                config);
    }

    private static LoopSpec spec(LoopSpecRecord record) {
        return LoopSpecConversion.fromRecord(record);
    }

    @Override
    public void write(String loop, LoopSlot slot) throws Exception {
        setCurrentKey.accept(loop);
        if (slot.hasFailed()) { // a state that cannot be restored may be readable for a later
            // release
            states.quarantine().update(slot.quarantine().orElseThrow());
        }
        if (slot.loop().isEmpty()) {
            return;
        }
        LoadedLoop it = slot.loop().get();
        LoopLearner learner = it.loop().learner();
        it.buffer().write(learner);
        LoopStateRecord record = new LoopStateRecord();
        record.setSpec(LoopSpecConversion.toRecord(it.loop().spec()));
        record.setWaitingSpec(
                it.loop().waitingSpec().map(LoopSpecConversion::toRecord).orElse(null));
        record.setFormerSpecs(
                it.former().specs().stream().map(LoopSpecConversion::toRecord).toList());
        record.setSequence(it.sequence());
        record.setTimeMicros(it.timeMicros());
        record.setRecentCommands(it.commands().ids());
        record.setProgress(LoopStateConversion.toRecord(learner.progress(), learner.buffered()));
        record.setParameters(PackedNumbers.pack(learner.parameters()));
        record.setSquaredGradientSum(PackedNumbers.pack(learner.squaredGradientSum()));
        record.setGate(LoopStateConversion.toRecord(it.loop().gate().state()));
        states.loop().update(record);
        panes.write(it.windows());
    }

    @Override
    public long weigh(LoopSlot slot) {
        return slot.bytes();
    }
}
