package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.util.BitSet;
import java.util.Optional;

/** A log, split into a part for training and an optional part for validation. */
record Holdout(LoadedLog training, Optional<LoadedLog> validation) {

    /** One in this many examples is held out. */
    private static final int ONE_IN = 5;

    static Holdout none(LoadedLog log) {
        return new Holdout(log, Optional.empty());
    }

    /** Holds out a random fifth of the examples. */
    static Holdout split(LoadedLog log, long seed) {
        ExampleLog kept = new ExampleLog();
        ExampleLog held = new ExampleLog();
        BitSet keptMissing = new BitSet();
        BitSet heldMissing = new BitSet();
        EventRandom random = new EventRandom(seed);
        for (int i = 0; i < log.examples().size(); i++) {
            boolean out = random.nextInt(ONE_IN) == 0;
            ExampleLog side = out ? held : kept;
            (out ? heldMissing : keptMissing).set(side.size(), log.missingPropensities().get(i));
            side.add(log.examples().example(i));
        }
        if (kept.size() == 0 || held.size() == 0) {
            throw new BadInputException(
                    "--validate needs a log with more examples, got " + log.examples().size());
        }
        return new Holdout(log.with(kept, keptMissing), Optional.of(log.with(held, heldMissing)));
    }

    Holdout withPropensitiesOf(LinearModel loggingPolicy) {
        return new Holdout(
                training.withPropensitiesOf(loggingPolicy),
                validation.map(log -> log.withPropensitiesOf(loggingPolicy)));
    }

    Optional<EvaluationResult> evaluate(Policy policy, double tau, double delta) {
        return validation.map(log -> log.evaluate(policy, tau, delta, 0));
    }
}
