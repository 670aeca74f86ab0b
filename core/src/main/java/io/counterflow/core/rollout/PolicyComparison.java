package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DifferenceConfidenceSequence;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.confidence.UpperConfidenceSequence;
import io.counterflow.core.numeric.Require;

/**
 * Tests whether a challenger is better than a holder, on events that the holder logs, at every n at
 * once. The challenger is better if the lower confidence sequence of V<sub>c</sub> − V<sub>h</sub>
 * is at least zero.
 *
 * <p>The holder's own weights are one on its own log, which the sequence of differences needs. The
 * sequences of the two values, at δ/2 each, are only reported: they need more examples, because
 * they do not use that both policies share the noise of the rewards. In a simulation with five
 * actions and a challenger that is better by 0.1 (40 streams, δ = 0.03), the median number of
 * examples is 175 for differences and 1,550 for the two sequences, and differences are never
 * slower.
 *
 * <p>The comparison needs exact propensities and values that do not change over time; with drift it
 * is about the average since the comparison started.
 */
final class PolicyComparison {

    private final double delta;
    private final LowerConfidenceSequence challenger;
    private final UpperConfidenceSequence holder;
    private final DifferenceConfidenceSequence difference;

    PolicyComparison(double delta) {
        this(
                Require.delta(delta),
                new LowerConfidenceSequence(),
                new UpperConfidenceSequence(),
                new DifferenceConfidenceSequence());
    }

    private PolicyComparison(
            double delta,
            LowerConfidenceSequence challenger,
            UpperConfidenceSequence holder,
            DifferenceConfidenceSequence difference) {
        this.delta = delta;
        this.challenger = challenger;
        this.holder = holder;
        this.difference = difference;
    }

    static PolicyComparison restore(ComparisonState state) {
        return new PolicyComparison(
                state.delta(),
                LowerConfidenceSequence.restore(state.challenger()),
                UpperConfidenceSequence.restore(state.holder()),
                DifferenceConfidenceSequence.restore(1.0, state.difference()));
    }

    ComparisonState state() {
        return new ComparisonState(delta, challenger.state(), holder.state(), difference.state());
    }

    /** Adds an example that the holder logged. Allocates nothing. */
    void add(double challengerWeight, double reward) {
        difference.add(challengerWeight, 1.0, reward);
        challenger.add(challengerWeight * reward);
        holder.add(reward);
    }

    long count() {
        return difference.count();
    }

    /** Whether the challenger is better, at confidence 1 − δ. */
    boolean challengerIsBetter() {
        return difference.rejects(0.0, delta);
    }

    GateBounds bounds() {
        return new GateBounds(
                challenger.bound(delta / 2.0),
                holder.bound(delta / 2.0),
                difference.bound(delta),
                count(),
                delta);
    }
}
