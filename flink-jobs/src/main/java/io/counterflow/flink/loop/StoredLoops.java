package io.counterflow.flink.loop;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.LearnerProgress;
import io.counterflow.core.loop.LearnerState;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.FormerSpecs;
import io.counterflow.flink.event.LoopPosition;
import io.counterflow.flink.state.KeptVersions;
import io.counterflow.flink.state.LoopStateConversion;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.LoopStore;
import io.counterflow.flink.state.StoredBuffer;
import io.counterflow.schemas.record.LoopPositionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Loads loops from keyed state and writes them back. */
public final class StoredLoops implements LoopStore<LoopSlot> {

    private final LoopOperatorConfig config;
    private final LoopStates states;
    private final Consumer<String> setCurrentKey;
    private final Runnable loaded;

    /**
     * @param setCurrentKey makes the key of a loop current
     * @param loaded called for each loop that is read from state
     */
    public StoredLoops(
            LoopOperatorConfig config,
            LoopStates states,
            Consumer<String> setCurrentKey,
            Runnable loaded) {
        this.config = config;
        this.states = states;
        this.setCurrentKey = setCurrentKey;
        this.loaded = loaded;
    }

    @Override
    public LoopSlot load(String loop) throws Exception {
        setCurrentKey.accept(loop);
        @Nullable LoopStateRecord record = states.loop().value();
        if (record == null) {
            @Nullable LoopPositionRecord refused = states.refusedUntil().value();
            return new LoopSlot(
                    Optional.empty(),
                    refused == null ? LoopPosition.START : LoopPosition.of(refused));
        }
        loaded.run();
        return new LoopSlot(Optional.of(restored(record)), LoopPosition.of(record.getPosition()));
    }

    private LoadedLoop restored(LoopStateRecord record) throws Exception {
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
        List<LoggedExample> examples = StoredBuffer.read(states.examples(), progress, buffered);
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
                new StoredBuffer(states.examples(), progress.received() - buffered),
                config);
    }

    private static LoopSpec spec(LoopSpecRecord record) {
        return LoopSpecConversion.fromRecord(record);
    }

    @Override
    public void write(String loop, LoopSlot slot) throws Exception {
        setCurrentKey.accept(loop);
        if (slot.loop().isEmpty()) {
            states.refusedUntil().update(slot.position().toRecord());
            return;
        }
        LoadedLoop hot = slot.loop().get();
        LoopLearner learner = hot.loop().learner();
        LoopStateRecord record = new LoopStateRecord();
        record.setSpec(LoopSpecConversion.toRecord(hot.loop().spec()));
        record.setWaitingSpec(
                hot.loop().waitingSpec().map(LoopSpecConversion::toRecord).orElse(null));
        record.setFormerSpecs(
                hot.former().specs().stream().map(LoopSpecConversion::toRecord).toList());
        record.setPosition(slot.position().toRecord());
        record.setProgress(LoopStateConversion.toRecord(learner.progress(), learner.buffered()));
        record.setParameters(PackedNumbers.pack(learner.parameters()));
        record.setSquaredGradientSum(PackedNumbers.pack(learner.squaredGradientSum()));
        record.setGate(LoopStateConversion.toRecord(hot.loop().gate().state()));
        states.loop().update(record);
    }

    @Override
    public long weigh(LoopSlot slot) {
        return slot.bytes();
    }
}
