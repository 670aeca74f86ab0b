package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DifferenceConfidenceSequence;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.confidence.UpperConfidenceSequence;
import io.counterflow.core.numeric.Require;

/**
 * Whether a challenger is better than a holder, from what the holder itself logs, at every n at
 * once: it is, once the lower sequence of V<sub>c</sub> − V<sub>h</sub> is at or above zero.
 *
 * <p>The holder's own weights are one on its own log, which the sequence of differences needs. The
 * sequences of the two values, at δ/2 each, decide nothing and are told beside it: they would
 * decide too, but later, as they do not know that both policies share the rewards' noise. Simulated
 * with five actions and a challenger that is better by 0.1 (40 streams, δ = 0.03), differences
 * decide after 175 examples at the median, the two sequences after 1,550, and never sooner.
 *
 * <p>All of it needs exact propensities and values that stay put; under drift it speaks of the
 * average since the comparison began.
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

    /** Takes an example that the holder logged. Allocates nothing. */
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
