package io.counterflow.core.log;

import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The context of a decision, as it was sent. */
public sealed interface Context permits Context.Vector, Context.Named {

    /** Number of actions to choose from, or 0 if the loop's fixed list is used. */
    int actionCount();

    /** A context vector. The actions are the fixed list of the loop. */
    record Vector(FeatureVector features) implements Context {
        @Override
        public int actionCount() {
            return 0;
        }
    }

    /**
     * Features by name.
     *
     * @param actions the actions to choose from; empty if the loop's fixed list is used
     */
    record Named(NamedFeatures features, List<NamedAction> actions) implements Context {
        public Named {
            actions = List.copyOf(actions);
            Set<String> ids = new HashSet<>();
            for (int a = 0; a < actions.size(); a++) {
                String id = actions.get(a).id();
                if (id.isEmpty()) {
                    throw new IllegalArgumentException("actions[" + a + "].id must not be empty");
                }
                if (!ids.add(id)) {
                    throw new IllegalArgumentException(
                            "actions[%d].id must be unique, got \"%s\" again".formatted(a, id));
                }
            }
        }

        @Override
        public int actionCount() {
            return actions.size();
        }
    }
}
