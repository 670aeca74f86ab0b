package io.counterflow.core.log;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import java.util.List;

/** Turns named features of a context and its actions into the numbers that a model scores. */
@FunctionalInterface
public interface NamedEncoder {

    /** φ(x, a) of every action. */
    ActionFeatures encode(NamedFeatures context, List<NamedAction> actions);

    /** For loops whose contexts are vectors: refuses named features. */
    static NamedEncoder none() {
        return (context, actions) -> {
            throw new IllegalArgumentException(
                    "context must be a vector (dense or sparse), got named features");
        };
    }
}
