package io.counterflow.flink.event;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Former specs of a loop with other fixed actions, oldest first. Examples that were decided under
 * them still arrive.
 */
public final class FormerSpecs {

    private static final int MAX_FORMER = 8;

    private final List<LoopSpec> specs;

    public FormerSpecs(List<LoopSpec> specs) {
        this.specs = new ArrayList<>(specs);
    }

    public List<LoopSpec> specs() {
        return specs;
    }

    /** The spec with the fixed actions of a decision. */
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

    /** Called when a spec replaces another. */
    public void replaced(LoopSpec before, LoopSpec now) {
        if (!now.fixedActions().equals(before.fixedActions())) {
            // Without the starting policy, which is not needed any more.
            specs.add(before.with(LoopSettings.STARTING_POLICY, Optional.empty()));
            if (specs.size() > MAX_FORMER) {
                specs.remove(0);
            }
        }
    }
}
