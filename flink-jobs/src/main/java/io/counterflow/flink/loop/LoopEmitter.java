package io.counterflow.flink.loop;

import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.rollout.RolloutConversion;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Emits the results of loops, with the timestamp of the event that caused them. */
public final class LoopEmitter {

    private final Output<StreamRecord<ScoredExample>> output;
    private final LoopMetrics metrics;

    public LoopEmitter(Output<StreamRecord<ScoredExample>> output, LoopMetrics metrics) {
        this.output = output;
        this.metrics = metrics;
    }

    void scored(ScoredExample example, LoopEvent event) {
        output.collect(new StreamRecord<>(example, event.timeMs()));
    }

    /** Emits the snapshots and rollout changes of a loop that an event causes. */
    LoopOutput resultsOf(LoopEvent event, LearningLoop loop) {
        return new LoopOutput() {
            @Override
            public void frozen(Candidate candidate) {
                Instant frozenAt = Instant.EPOCH.plus(event.timeMicros(), ChronoUnit.MICROS);
                metrics.snapshot(event.timeMs());
                output.collect(
                        LoopOperator.SNAPSHOTS,
                        new StreamRecord<>(
                                Snapshots.of(candidate, loop.spec(), frozenAt), event.timeMs()));
            }

            @Override
            public void changed(RolloutChange change) {
                LoopSpec spec = loop.spec();
                metrics.changed(change.kind());
                output.collect(
                        LoopOperator.ROLLOUTS,
                        new StreamRecord<>(
                                RolloutConversion.toRecord(
                                        change,
                                        spec.loop(),
                                        event.timeMicros(),
                                        spec.get(LoopSettings.ROLLOUT_MODE),
                                        commandId(event),
                                        spec.version()),
                                event.timeMs()));
            }
        };
    }

    private static Optional<String> commandId(LoopEvent event) {
        return event.kind() == LoopEventKind.COMMAND ? Optional.of(event.id()) : Optional.empty();
    }
}
