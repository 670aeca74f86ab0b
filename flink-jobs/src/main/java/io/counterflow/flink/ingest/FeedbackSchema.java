package io.counterflow.flink.ingest;

import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Reads the two topics of feedback. */
public final class FeedbackSchema extends IngestSchema<FeedbackEvent> {

    private static final long serialVersionUID = 1L;

    private final FeedbackTopic topic;
    private final IngestLimits limits;

    public FeedbackSchema(FeedbackTopic topic, IngestLimits limits) {
        this.topic = topic;
        this.limits = limits;
    }

    @Override
    protected RecordDecoder<FeedbackEvent> newDecoder() {
        return new FeedbackDecoder(topic, limits);
    }

    @Override
    public TypeInformation<Ingested<FeedbackEvent>> getProducedType() {
        return TypeInformation.of(new TypeHint<>() {});
    }
}
