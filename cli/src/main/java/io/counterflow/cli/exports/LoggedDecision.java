package io.counterflow.cli.exports;

import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A decision with what its loop says about it.
 *
 * @param impression the decision, with its reward if it is known
 * @param loop what the spec of its loop says
 */
record LoggedDecision(Impression impression, LoopFacts loop) {

    /** The reward in the unit of the loop. */
    OptionalDouble reward() {
        return inUnitOfLoop(impression.reward());
    }

    private OptionalDouble inUnitOfLoop(OptionalDouble reward) {
        return reward.isPresent()
                ? OptionalDouble.of(loop.rewards().fromUnit(reward.getAsDouble()))
                : reward;
    }

    /** The actions to choose from: its own, or the fixed list of the loop; empty if not known. */
    List<NamedAction> actions() {
        if (impression.context() instanceof Context.Named named && !named.actions().isEmpty()) {
            return named.actions();
        }
        int probabilities = impression.choice().distribution().size();
        if (loop.fixedActions().isEmpty() && probabilities > 0) {
            return LoopFacts.numbered(probabilities);
        }
        return loop.fixedActions();
    }
}
