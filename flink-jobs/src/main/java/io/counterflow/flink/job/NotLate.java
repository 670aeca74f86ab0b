package io.counterflow.flink.job;

import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RawRecord;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.common.functions.FilterFunction;

/**
 * Skips specs and commands that came too late in the live job. A batch run reads them in time, so
 * with them it would learn something else.
 */
final class NotLate<E extends IngestedEvent> implements FilterFunction<Ingested<E>> {

    /** Identity in savepoints; with the topic's name, because each topic has its own. */
    static final String UID = "not-late";

    private static final long serialVersionUID = 1L;

    private final HashSet<RecordPlace> late;

    NotLate(Set<RecordPlace> late) {
        this.late = new HashSet<>(late);
    }

    @Override
    public boolean filter(Ingested<E> ingested) {
        E event = ingested.event();
        if (event == null || late.isEmpty()) {
            return true;
        }
        RawRecord raw = event.raw();
        return !late.contains(new RecordPlace(raw.topic(), raw.partition(), raw.offset()));
    }
}
