package io.counterflow.flink.join;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.Outcome;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;

/** An example as the join emits it. */
record JoinedExample(ImpressionRecord impression, Outcome outcome, long timeMs) {

    static JoinedExample of(LoopEvent event) throws Exception {
        return new JoinedExample(
                WireCodec.of(ImpressionRecord.class)
                        .decode(Objects.requireNonNull(event.raw().value())),
                Objects.requireNonNull(event.outcome()),
                event.timeMs());
    }

    double reward() {
        return outcome.reward();
    }
}
