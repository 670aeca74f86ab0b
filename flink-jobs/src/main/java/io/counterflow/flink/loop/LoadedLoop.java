package io.counterflow.flink.loop;

import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.FormerSpecs;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.RefusalReason;
import io.counterflow.flink.event.RefusedEventException;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.state.KeptVersions;
import io.counterflow.flink.state.LoopHeap;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.StoredBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A loop in memory: its learner, its gate and its specs. The key of the loop must be current while
 * it processes an event, because its versions and examples are in state.
 */
public final class LoadedLoop {

    private final LearningLoop loop;
    private final FormerSpecs former;
    private final StoredBuffer buffer;
    private final LoopOperatorConfig config;
    private FeatureAssembly assembly;
    private ScoredExample.EstimateSettings settings;
    private long bytesWithoutBuffer;

    LoadedLoop(
            LearningLoop loop, FormerSpecs former, StoredBuffer buffer, LoopOperatorConfig config) {
        this.loop = loop;
        this.former = former;
        this.buffer = buffer;
        this.config = config;
        this.assembly = loop.spec().assembly();
        this.settings = ScoredExamples.settings(loop.spec());
        this.bytesWithoutBuffer = LoopHeap.withoutBuffer(loop.spec());
    }

    /** Starts a loop with its first spec. */
    public static LoadedLoop start(
            LoopSpec spec,
            LoopOperatorConfig config,
            LoopStates states,
            LoopEvent event,
            LoopEmitter emitter)
            throws RefusedEventException {
        Optional<String> tooLarge = tooLarge(spec, config);
        if (tooLarge.isPresent()) {
            throw new RefusedEventException(RefusalReason.SPEC, tooLarge.get());
        }
        List<RolloutChange> started = new ArrayList<>(); // emitted after the loop is created
        LearningLoop loop =
                LearningLoop.start(
                        spec,
                        config.limits(),
                        new KeptVersions(states.versions(), spec.shape().zeros()),
                        new LoopOutput() {
                            @Override
                            public void frozen(Candidate candidate) {
                                throw new IllegalStateException("nothing has been learned yet");
                            }

                            @Override
                            public void changed(RolloutChange change) {
                                started.add(change);
                            }
                        });
        LoadedLoop loaded =
                new LoadedLoop(
                        loop,
                        new FormerSpecs(List.of()),
                        new StoredBuffer(states.examples(), 0),
                        config);
        started.forEach(emitter.resultsOf(event, loop)::changed);
        return loaded;
    }

    LearningLoop loop() {
        return loop;
    }

    FormerSpecs former() {
        return former;
    }

    /** Approximate heap: parameters, registered policies, buffer and objects. */
    long bytes() {
        int registered = loop.gate().rollout().registeredVersions().size();
        return bytesWithoutBuffer
                + registered * LoopHeap.ofPolicy(loop.spec())
                + loop.learner().bufferedBytes();
    }

    public void learn(LoopEvent event, ExampleReader reader, LoopEmitter emitter) throws Exception {
        LoopSpec before = loop.spec();
        ExampleReader.Read read = reader.read(event, before, former, assembly);
        ScoredExample.EstimateSettings estimated = settings;
        Rollout rollout = loop.gate().rollout();
        Impression impression = read.impression();
        ComparedExample compared;
        try {
            compared =
                    loop.take(
                            read.example(),
                            new DecisionOrigin(
                                    impression.specVersion(),
                                    impression.choice().propensityKind(),
                                    0.0,
                                    impression.time().toEpochMilli(),
                                    impression.guardrailReward()),
                            event.timeMs(),
                            emitter.resultsOf(event, loop));
        } catch (IllegalArgumentException e) {
            throw new RefusedEventException(RefusalReason.EXAMPLE, String.valueOf(e.getMessage()));
        }
        buffer.add(read.example(), loop.learner());
        emitter.scored(ScoredExamples.of(event, read, compared, rollout, before, estimated), event);
        follow(before);
    }

    void command(LoopEvent event, RolloutCommand command, LoopEmitter emitter) throws Exception {
        LoopSpec before = loop.spec();
        loop.command(command, event.timeMs(), emitter.resultsOf(event, loop));
        buffer.follow(loop.learner());
        follow(before);
    }

    void change(LoopEvent event, LoopSpec next, LoopEmitter emitter) throws Exception {
        LoopSpec before = loop.spec();
        LoopOutput results = emitter.resultsOf(event, loop);
        Optional<String> refused = refusal(next);
        if (refused.isPresent()) {
            loop.refuseSpec(next.version(), refused.get(), results);
        } else {
            loop.change(next, results);
            buffer.follow(loop.learner());
        }
        follow(before);
    }

    /** Why the loop cannot use a spec; empty if it can. */
    private Optional<String> refusal(LoopSpec next) {
        long latest = loop.waitingSpec().orElse(loop.spec()).version();
        return next.version() <= latest
                ? Optional.of("version must be above " + latest)
                : tooLarge(next, config);
    }

    /** Why a loop with this spec is too large; empty if it is not. */
    private static Optional<String> tooLarge(LoopSpec spec, LoopOperatorConfig config) {
        long bytes = LoopHeap.withoutBuffer(spec);
        return bytes <= config.maxLoopBytes()
                ? Optional.empty()
                : Optional.of(
                        "the loop must need at most %d bytes of heap (loop.max-loop-size), got %d"
                                .formatted(config.maxLoopBytes(), bytes));
    }

    private void follow(LoopSpec before) {
        LoopSpec now = loop.spec();
        if (now.version() != before.version()) {
            former.replaced(before, now);
            assembly = now.assembly();
            settings = ScoredExamples.settings(now);
            bytesWithoutBuffer = LoopHeap.withoutBuffer(now);
        }
    }
}
