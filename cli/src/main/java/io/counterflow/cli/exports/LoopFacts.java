package io.counterflow.cli.exports;

import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.RewardRange;
import java.util.ArrayList;
import java.util.List;

/**
 * What other programs need to know of a loop.
 *
 * @param rewards the range of its rewards
 * @param fixedActions the actions of decisions that have no own; empty if there are none
 */
record LoopFacts(RewardRange rewards, List<NamedAction> fixedActions) {

    /** If nothing is known. */
    static final LoopFacts NONE = new LoopFacts(RewardRange.UNIT, List.of());

    LoopFacts {
        fixedActions = List.copyOf(fixedActions);
    }

    /** Actions without features, whose ids are the numbers from 0. */
    static List<NamedAction> numbered(int actions) {
        List<NamedAction> list = new ArrayList<>(actions);
        for (int a = 0; a < actions; a++) {
            list.add(new NamedAction(Integer.toString(a), NamedFeatures.none()));
        }
        return list;
    }
}
