package io.counterflow.serving.loops;

import io.counterflow.core.loop.SpecChange;
import io.counterflow.core.loop.SpecChange.Field;
import io.counterflow.core.loop.SpecChange.Verdict;
import io.counterflow.schemas.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What a change of a loop's whole spec amounts to: what the learner says of it, and the rest. */
final class SpecVerdict {

    private SpecVerdict() {}

    static SpecChange classify(LoopSpec before, LoopSpec after) {
        List<Field> fields = new ArrayList<>();
        if (!after.shape().continues(before.shape())) {
            fields.add(
                    new Field(
                            "shape",
                            Verdict.REFUSED,
                            "parameters mean other features or actions; make a new loop"));
        } else {
            fields.addAll(SpecChange.classify(before.learnerSpec(), after.learnerSpec()).fields());
            hot("actions", before.fixedActions(), after.fixedActions(), DECISIONS, fields);
        }
        hot("normBound", before.normBound(), after.normBound(), DECISIONS, fields);
        hot("decisions", before.decisions(), after.decisions(), DECISIONS, fields);
        hot("rewards", before.rewardRule(), after.rewardRule(), DECISIONS, fields);
        hot("rollout", before.rollout(), after.rollout(), "the gate goes by it", fields);
        return new SpecChange(fields);
    }

    private static final String DECISIONS = "later decisions are taken by it";

    private static void hot(
            String name, Object before, Object after, String reason, List<Field> fields) {
        if (!Objects.equals(before, after)) {
            fields.add(new Field(name, Verdict.HOT, reason));
        }
    }
}
