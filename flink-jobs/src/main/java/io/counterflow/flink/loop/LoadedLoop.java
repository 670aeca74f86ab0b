package io.counterflow.flink.loop;

import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.FeatureAssembly;
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
import io.counterflow.flink.state.KeyedStorage;
import io.counterflow.flink.state.LoopHeap;
import io.counterflow.flink.windows.LoopWindows;
import io.counterflow.flink.windows.WindowMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A loop in memory: its learner, its gate, its specs and its windows.
 *
 * <p>Each event that it takes gets the next number and is written to the journal, before anything
 * else comes of it. The time of a loop is the latest event time so far, so it never goes back.
 * Windows, snapshots and changes of the rollout have the time of the loop.
 *
 * <p>The key of the loop must be current while it processes an event, because its versions and
 * examples are in state.
 */
final class LoadedLoop {

    private final LearningLoop loop;
    private final FormerSpecs former;
    private final KeyedStorage storage;
    private final LoopWindows windows;
    private final RecentCommands commands;
    private final LoopOperatorConfig config;
    private final StoredParts parts = new StoredParts();
    private FeatureAssembly assembly;
    private ScoredExample.EstimateSettings settings;
    private long bytesWithoutBuffer;
    private final long startedMicros;
    private long sequence;
    private long timeMicros;

    LoadedLoop(
            LearningLoop loop,
            FormerSpecs former,
            KeyedStorage storage,
            LoopWindows windows,
            RecentCommands commands,
            long startedMicros,
            long sequence,
            long timeMicros,
            LoopOperatorConfig config) {
        this.loop = loop;
        this.former = former;
        this.storage = storage;
        this.windows = windows;
        this.commands = commands;
        this.startedMicros = startedMicros;
        this.sequence = sequence;
        this.timeMicros = timeMicros;
        this.config = config;
        this.assembly = loop.spec().assembly();
        this.settings = ScoredExamples.settings(loop.spec());
        this.bytesWithoutBuffer = LoopHeap.withoutBuffer(loop.spec());
    }

    /** Starts a loop with its first spec. */
    static LoadedLoop start(
            LoopSpec spec,
            LoopOperatorConfig config,
            KeyedStorage storage,
            LoopWindows windows,
            LoopEvent event,
            LoopEmitter emitter)
            throws RefusedEventException {
        Optional<String> refused =
                tooLarge(spec, config).or(() -> LearningLoop.missingBaseline(spec, storage));
        if (refused.isPresent()) {
            throw new RefusedEventException(RefusalReason.SPEC, refused.get());
        }
        List<RolloutChange> started = new ArrayList<>(); // emitted after the loop is created
        LearningLoop loop =
                LearningLoop.start(
                        spec,
                        config.limits(),
                        storage,
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
                        storage,
                        windows,
                        new RecentCommands(List.of()),
                        event.timeMicros(),
                        0,
                        event.timeMicros(),
                        config);
        loaded.enter(event, emitter);
        started.forEach(loaded.results(event, emitter)::changed);
        return loaded;
    }

    private LoopOutput results(LoopEvent event, LoopEmitter emitter) {
        return emitter.resultsOf(event, loop, timeMicros, startedMicros);
    }

    /** When the loop started, in microseconds since 1970. */
    long startedMicros() {
        return startedMicros;
    }

    /** Number of events so far. */
    long sequence() {
        return sequence;
    }

    /** The latest event time so far, in microseconds since 1970. */
    long timeMicros() {
        return timeMicros;
    }

    /** The end of the next window; empty if no window is open. */
    OptionalLong nextWindowEndMs() {
        return windows.nextEndMs(timeMicros);
    }

    KeyedStorage storage() {
        return storage;
    }

    StoredParts parts() {
        return parts;
    }

    LoopWindows windows() {
        return windows;
    }

    RecentCommands commands() {
        return commands;
    }

    LearningLoop loop() {
        return loop;
    }

    FormerSpecs former() {
        return former;
    }

    /** Approximate heap: parameters, registered policies, open examples and objects. */
    long bytes() {
        int registered = loop.gate().rollout().registeredVersions().size();
        return bytesWithoutBuffer
                + registered * LoopHeap.ofPolicy(loop.spec())
                + loop.learner().openBytes()
                + windows.bytes();
    }

    /**
     * Takes an event.
     *
     * @throws RefusedEventException if the loop refuses the event, which then has no number and
     *     changes nothing
     */
    void take(LoopEvent event, EventReaders readers, LoopEmitter emitter) throws Exception {
        LoopSpec before = loop.spec();
        switch (event.kind()) {
            case EXAMPLE -> learn(event, readers.examples(), emitter);
            case COMMAND -> command(event, readers.controls().command(event), emitter);
            case SPEC -> change(event, readers.controls().spec(event), emitter);
            case TIME -> enter(event, emitter);
            case DELETION -> throw new IllegalStateException("a loop does not delete itself");
        }
        follow(before);
    }

    /** Gives an event its number and moves the time of the loop on. */
    private void enter(LoopEvent event, LoopEmitter emitter) {
        sequence++;
        emitter.entry(event, sequence);
        long now = Math.max(timeMicros, event.timeMicros());
        emitter.windows(event.loop(), windows.advance(timeMicros, now), loop);
        timeMicros = now;
    }

    private void learn(LoopEvent event, ExampleReader reader, LoopEmitter emitter)
            throws Exception {
        LoopSpec before = loop.spec();
        ExampleReader.Read read = reader.read(event, before, former, assembly);
        try {
            loop.requireFit(read.example());
        } catch (IllegalArgumentException e) {
            throw new RefusedEventException(RefusalReason.EXAMPLE, String.valueOf(e.getMessage()));
        }
        enter(event, emitter);
        ScoredExample.EstimateSettings estimated = settings;
        Rollout rollout = loop.gate().rollout();
        ComparedExample compared =
                loop.take(
                        read.example(),
                        DecisionOrigin.of(read.impression()),
                        Math.floorDiv(timeMicros, 1_000L),
                        results(event, emitter));
        add(
                ScoredExamples.of(event.loop(), read, compared, rollout, before, estimated),
                emitter.windowMetrics());
    }

    private void add(ScoredExample scored, WindowMetrics metrics) {
        if (!windows.add(scored, timeMicros)) {
            metrics.unwatched();
        }
        metrics.audited(scored.audit());
    }

    private void command(LoopEvent event, RolloutCommand command, LoopEmitter emitter)
            throws Exception {
        if (commands.contains(event.id())) {
            throw new RefusedEventException(
                    RefusalReason.DUPLICATE, "the loop has executed this command before");
        }
        enter(event, emitter);
        commands.add(event.id());
        loop.command(command, Math.floorDiv(timeMicros, 1_000L), results(event, emitter));
    }

    private void change(LoopEvent event, LoopSpec next, LoopEmitter emitter) throws Exception {
        enter(event, emitter);
        LoopOutput results = results(event, emitter);
        Optional<String> refused = refusal(next);
        if (refused.isPresent()) {
            loop.refuseSpec(next.version(), refused.get(), results);
        } else {
            loop.change(next, results);
        }
    }

    /** Records that the loop takes no more events. */
    void quarantined(LoopEvent event, String reason, LoopEmitter emitter) {
        results(event, emitter).changed(loop.gate().note(RolloutChange.Kind.QUARANTINED, reason));
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
