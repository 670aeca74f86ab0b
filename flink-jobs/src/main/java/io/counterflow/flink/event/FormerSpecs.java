package io.counterflow.flink.event;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The specs of a loop that were replaced by one with other fixed actions: decisions that were taken
 * under them still come in. The oldest first.
 */
public final class FormerSpecs {

    /** Changes of fixed actions that are remembered. */
    private static final int MAX_FORMER = 8;

    private final List<LoopSpec> specs;

    public FormerSpecs(List<LoopSpec> specs) {
        this.specs = new ArrayList<>(specs);
    }

    public List<LoopSpec> specs() {
        return specs;
    }

    /** The fixed actions of a decision are those of the spec that it was taken under. */
    LoopSpec decidedUnder(long specVersion, LoopSpec inForce) {
        if (specVersion > 0) {
            for (LoopSpec spec : specs) {
                if (specVersion <= spec.version()) {
                    return spec;
                }
            }
        }
        return inForce;
    }

    /** Another spec came into force. */
    public void replaced(LoopSpec before, LoopSpec now) {
        if (!now.fixedActions().equals(before.fixedActions())) {
            // Without its parameters, which nothing asks of it any more.
            specs.add(before.with(LoopSettings.STARTING_POLICY, Optional.empty()));
            if (specs.size() > MAX_FORMER) {
                specs.remove(0);
            }
        }
    }
}
