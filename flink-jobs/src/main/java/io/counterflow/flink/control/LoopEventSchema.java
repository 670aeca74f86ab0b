package io.counterflow.flink.control;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.IngestSchema;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.RecordDecoder;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Reads the topics whose records happen to a loop as they are. */
public final class LoopEventSchema extends IngestSchema<LoopEvent> {

    private static final long serialVersionUID = 1L;

    private final LoopTopic topic;
    private final IngestLimits limits;

    public LoopEventSchema(LoopTopic topic, IngestLimits limits) {
        this.topic = topic;
        this.limits = limits;
    }

    @Override
    protected RecordDecoder<LoopEvent> newDecoder() {
        return new LoopEventDecoder(topic, limits);
    }

    @Override
    public TypeInformation<Ingested<LoopEvent>> getProducedType() {
        return TypeInformation.of(new TypeHint<>() {});
    }
}
