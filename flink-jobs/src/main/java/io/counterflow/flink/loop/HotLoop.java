package io.counterflow.flink.loop;

import io.counterflow.core.log.NamedEncoder;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.Judgement;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.wire.RolloutConversion;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One loop at hand: its learner and gate, and its specs. The loop's key must be current while it
 * takes an event, because its versions and examples lie in state.
 */
final class HotLoop {

    private final LearningLoop loop;
    private final LoopSpecs specs;
    private final StoredBuffer buffer;
    private NamedEncoder encoder;
    private JudgedExample.EstimateSettings settings;
    private long bytesWithoutBuffer;

    HotLoop(LearningLoop loop, LoopSpecs specs, StoredBuffer buffer) {
        this.loop = loop;
        this.specs = specs;
        this.buffer = buffer;
        this.encoder = specs.inForce().namedEncoder();
        this.settings = JudgedExamples.settings(specs.inForce(), loop.rules().learner());
        this.bytesWithoutBuffer = LoopHeap.withoutBuffer(specs.inForce());
    }

    /** A loop that begins with its first spec. */
    static HotLoop start(
            LoopSpec spec,
            LoopOperatorConfig config,
            LoopStates states,
            LoopEvent event,
            LoopEmitter emitter)
            throws RefusedEventException {
        LoopSpecs specs = new LoopSpecs(config, List.of(), spec, Optional.empty());
        Optional<String> tooLarge = specs.tooLarge(spec);
        if (tooLarge.isPresent()) {
            throw new RefusedEventException(LoopRule.SPEC, tooLarge.get());
        }
        List<RolloutChange> started = new ArrayList<>(); // told when there is a loop to tell of it
        LearningLoop loop =
                LearningLoop.start(
                        specs.rules(spec),
                        spec.startingVersion(),
                        spec.startingModel(),
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
        HotLoop hot = new HotLoop(loop, specs, new StoredBuffer(states.examples(), 0));
        started.forEach(hot.publication(event, spec, emitter)::changed);
        return hot;
    }

    LearningLoop loop() {
        return loop;
    }

    LoopSpecs specs() {
        return specs;
    }

    /** Heap that the loop takes, roughly: parameters, buffer, and the objects around them. */
    long bytes() {
        return bytesWithoutBuffer
                + loop.learner().bufferedBytes()
                + LoopHeap.BYTES_AROUND_AN_EXAMPLE * loop.learner().buffered();
    }

    /** Takes an example. */
    void learn(LoopEvent event, ExampleReader reader, LoopEmitter emitter) throws Exception {
        ExampleReader.Read read = reader.read(event, specs, encoder);
        LoopSpec before = specs.inForce();
        JudgedExample.EstimateSettings estimated = settings;
        Judgement judged;
        try {
            judged =
                    loop.take(
                            read.example(),
                            read.allowed(),
                            event.timeMs(),
                            publication(event, before, emitter));
        } catch (IllegalArgumentException e) {
            throw new RefusedEventException(LoopRule.EXAMPLE, String.valueOf(e.getMessage()));
        }
        buffer.add(read.example(), loop.learner());
        emitter.judged(JudgedExamples.of(event, read, judged, before, estimated), event);
        follow(before);
    }

    /** Takes what a person asks. */
    void command(LoopEvent event, RolloutCommand command, LoopEmitter emitter) throws Exception {
        LoopSpec before = specs.inForce();
        loop.command(command, publication(event, before, emitter));
        buffer.follow(loop.learner());
        follow(before);
    }

    /** Takes a new spec. */
    void change(LoopEvent event, LoopSpec next, LoopEmitter emitter) throws Exception {
        LoopOutput publication = publication(event, next, emitter);
        Optional<String> refused = specs.refuses(next);
        if (refused.isPresent()) {
            loop.refuseSpec(next.version(), refused.get(), publication);
        } else {
            loop.change(specs.rules(next), publication);
            buffer.follow(loop.learner());
        }
        follow(next);
    }

    private void follow(LoopSpec asked) {
        if (specs.follow(asked, loop.rules(), loop.waitingRules())) {
            encoder = specs.inForce().namedEncoder();
            settings = JudgedExamples.settings(specs.inForce(), loop.rules().learner());
            bytesWithoutBuffer = LoopHeap.withoutBuffer(specs.inForce());
        }
    }

    private LoopOutput publication(LoopEvent event, LoopSpec asked, LoopEmitter emitter) {
        Optional<String> commandId =
                event.kind() == LoopEventKind.COMMAND ? Optional.of(event.id()) : Optional.empty();
        return new LoopOutput() {
            @Override
            public void frozen(Candidate candidate) {
                emitter.snapshot(
                        Snapshots.of(candidate, ruling(), instant(event.timeMicros())), event);
            }

            @Override
            public void changed(RolloutChange change) {
                LoopSpec spec = ruling();
                emitter.rollout(
                        RolloutConversion.toRecord(
                                change,
                                spec.loop(),
                                event.timeMicros(),
                                spec.rollout().mode(),
                                commandId,
                                spec.version()),
                        event);
            }

            /** The spec by which the loop is ruled at this very moment. */
            private LoopSpec ruling() {
                return specs.ofVersion(loop.rules().specVersion(), asked);
            }
        };
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
