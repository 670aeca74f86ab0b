package io.counterflow.benchmarks.loop;

import io.counterflow.flink.event.ControlReader;
import io.counterflow.flink.event.ExampleReader;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.loop.LoadedLoop;
import io.counterflow.flink.loop.LoopEmitter;
import io.counterflow.flink.loop.LoopMetrics;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.loop.LoopSlot;
import io.counterflow.flink.loop.StoredLoops;
import io.counterflow.flink.state.LoopStates;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Processes events of loops immediately and stores loops in one of several ways, so that they can
 * be compared with {@link LoopOperator}.
 */
final class KeptLoopOperator extends AbstractStreamOperator<ScoredExample>
        implements OneInputStreamOperator<LoopEvent, ScoredExample> {

    /** Where a loop is stored between two of its events. */
    enum Keeping {
        /** On the heap only. */
        ON_HEAP,
        /** On the heap, and written to the state backend after each event. */
        WRITTEN,
        /** In the state backend only. */
        READ_AND_WRITTEN
    }

    private static final long serialVersionUID = 1L;

    private final Keeping keeping;
    private final Map<String, LoopSlot> atHand = new HashMap<>();

    private transient ExampleReader examples;
    private transient ControlReader controls;
    private transient LoopStates states;
    private transient StoredLoops stored;
    private transient LoopEmitter emitter;

    @SuppressWarnings("NullAway.Init") // Flink calls initializeState() first
    KeptLoopOperator(Keeping keeping) {
        this.keeping = keeping;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        examples = new ExampleReader();
        controls = new ControlReader();
        states = LoopStates.of(context.getKeyedStateStore());
        stored =
                new StoredLoops(
                        LoopOperatorConfig.defaults(), states, this::setCurrentKey, () -> {});
        emitter = new LoopEmitter(output, new LoopMetrics(getMetricGroup()));
    }

    @Override
    public void processElement(StreamRecord<LoopEvent> element) throws Exception {
        LoopEvent event = element.getValue();
        LoopSlot slot = atHand.get(event.loop());
        if (slot == null) {
            slot = stored.load(event.loop());
        }
        if (event.kind() == LoopEventKind.SPEC) {
            slot.start(
                    LoadedLoop.start(
                            controls.spec(event),
                            LoopOperatorConfig.defaults(),
                            states,
                            event,
                            emitter));
        } else {
            slot.loop().orElseThrow().learn(event, examples, emitter);
        }
        if (keeping != Keeping.ON_HEAP) {
            stored.write(event.loop(), slot);
        }
        if (keeping != Keeping.READ_AND_WRITTEN) {
            atHand.put(event.loop(), slot);
        }
    }

    /** The keyed state of loops. */
    LoopStates states() {
        return states;
    }
}
