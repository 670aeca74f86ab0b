package io.counterflow.flink.ingest;

import io.counterflow.flink.types.ValueTypeInfo;
import io.counterflow.schemas.record.DeadLetterRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Lets events through and sends refusals to the dead letters, counting both. A heartbeat has moved
 * the watermark in the source and ends here.
 */
public final class IngestFunction<E extends IngestedEvent> extends ProcessFunction<Ingested<E>, E> {

    /** Identity in savepoints; with the topic's name, because each topic has its own. */
    public static final String UID = "ingest";

    public static final OutputTag<DeadLetterRecord> DEAD_LETTERS =
            new OutputTag<>("dead-letters", ValueTypeInfo.ofRecord(DeadLetterRecord.class));

    /** Prefix of the accumulators that count events; the kind follows. */
    public static final String ACCUMULATOR_PREFIX = "ingested.";

    private static final long serialVersionUID = 1L;

    private final ArrayList<String> kinds; // the type of the field is serializable

    private transient Map<String, Counter> events;
    private transient Map<String, LongCounter> totals; // the result of a run that ends
    private transient Map<IngestRule, Counter> refusals;

    /**
     * @param kinds the kinds that events may have
     */
    public IngestFunction(List<? extends Enum<?>> kinds) {
        this.kinds = new ArrayList<>(kinds.stream().map(Enum::name).toList());
    }

    @Override
    public void open(OpenContext context) {
        MetricGroup metrics = getRuntimeContext().getMetricGroup();
        events = new HashMap<>();
        totals = new HashMap<>();
        for (String kind : kinds) {
            events.put(kind, metrics.addGroup("kind", kind).counter("events"));
            LongCounter total = new LongCounter();
            getRuntimeContext().addAccumulator(ACCUMULATOR_PREFIX + kind, total);
            totals.put(kind, total);
        }
        refusals = new EnumMap<>(IngestRule.class); // at startup, so that they show zero at first
        for (IngestRule rule : IngestRule.values()) {
            refusals.put(rule, metrics.addGroup("rule", rule.name()).counter("dead_letters"));
        }
    }

    @Override
    public void processElement(Ingested<E> ingested, Context context, Collector<E> out) {
        E event = ingested.event();
        Refusal refusal = ingested.refusal();
        if (event != null) {
            String kind = event.kind().name();
            Objects.requireNonNull(events.get(kind)).inc();
            Objects.requireNonNull(totals.get(kind)).add(1L);
            out.collect(event);
        } else if (refusal != null) {
            Objects.requireNonNull(refusals.get(refusal.rule())).inc();
            context.output(DEAD_LETTERS, refusal.toDeadLetter());
        }
    }
}
