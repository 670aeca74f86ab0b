package io.counterflow.flink.sinks;

import io.counterflow.flink.event.LoopEvent;
import java.util.Objects;
import org.apache.flink.api.common.functions.MapFunction;

/** Writes joined examples to their topic, keyed by loop, with the bytes that loops learn from. */
public final class ExamplePublication implements MapFunction<LoopEvent, OutgoingRecord> {

    private static final long serialVersionUID = 1L;

    private final String topic;

    public ExamplePublication(String topic) {
        this.topic = topic;
    }

    @Override
    public OutgoingRecord map(LoopEvent example) {
        return new OutgoingRecord(
                topic,
                Publication.utf8(example.loop()),
                Objects.requireNonNull(example.raw().value()));
    }
}
