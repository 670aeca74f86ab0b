package io.counterflow.cli.evaluate;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.LinearModel;
import java.util.OptionalDouble;

/**
 * The largest importance weight that a policy can have in the contexts of a log, whichever action
 * is drawn, and its probability for actions that are never drawn. Both need the probabilities of
 * all actions: of the policy, and of the logging policy, which has logged them or is uniform.
 */
final class LargestWeight {

    /** A logged propensity is a number of some digits. */
    private static final double ROUNDING = 1e-6;

    private final ExampleLog log;
    private final LogColumns columns;
    private final LinearModel shape;
    private final boolean[] logged; // whether some example has this action
    private final int sameActions; // 0 if examples differ
    private final boolean known; // the logging distribution of every example

    private double largest;
    private double unsupported;
    private double unlogged;

    private LargestWeight(
            ExampleLog log,
            LogColumns columns,
            LinearModel shape,
            boolean[] logged,
            int sameActions,
            boolean known) {
        this.log = log;
        this.columns = columns;
        this.shape = shape;
        this.logged = logged;
        this.sameActions = sameActions;
        this.known = known;
    }

    /** Without a policy: what is known about the log. */
    static LargestWeight of(ExampleLog log, LogColumns columns, LinearModel shape) {
        int same = shape.actionCount(log.features(0));
        boolean known = true;
        int most = 0;
        for (int i = 0; i < log.size(); i++) {
            int actions = shape.actionCount(log.features(i));
            same = same == actions ? same : 0;
            most = Math.max(most, actions);
            known &=
                    columns.distribution(i).length == actions
                            || isUniform(log.propensity(i), log.allowed(i).count(actions));
        }
        boolean[] logged = new boolean[most];
        for (int i = 0; i < log.size(); i++) {
            logged[log.action(i)] = true;
        }
        return new LargestWeight(log, columns, shape, logged, same, known);
    }

    private static boolean isUniform(double propensity, int allowed) {
        return Math.abs(propensity * allowed - 1.0) <= ROUNDING;
    }

    /** The same for another policy. */
    LargestWeight fresh() {
        return new LargestWeight(log, columns, shape, logged, sameActions, known);
    }

    /**
     * Takes the probabilities of a policy in the context of example i.
     *
     * @param probabilities of all actions
     */
    void add(int i, double[] probabilities) {
        Features x = log.features(i);
        int actions = shape.actionCount(x);
        AllowedActions allowed = log.allowed(i);
        double[] distribution = columns.distribution(i);
        int n = allowed.count(actions);
        for (int a = 0; a < actions; a++) {
            double target = probabilities[a];
            if (target > 0.0) {
                if (known) {
                    double p = distribution.length == actions ? distribution[a] : 1.0 / n;
                    if (p > 0.0) {
                        largest = Math.max(largest, target / p);
                    } else {
                        unsupported += target;
                    }
                }
                unlogged += logged[a] ? 0.0 : target;
            }
        }
    }

    /** The largest weight; empty if it is not known, because some distributions are not. */
    OptionalDouble value() {
        return known ? OptionalDouble.of(largest) : OptionalDouble.empty();
    }

    /**
     * Mean probability of actions that the logging policy never draws. If its distribution is not
     * known, they are those that are in no example, if all examples have the same number of
     * actions.
     */
    double unsupportedShare() {
        if (known) {
            return unsupported / log.size();
        }
        return sameActions == 0 ? 0.0 : unlogged / log.size();
    }
}
