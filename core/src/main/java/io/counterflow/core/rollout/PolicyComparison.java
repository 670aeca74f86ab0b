package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DifferenceConfidenceSequence;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.confidence.UpperConfidenceSequence;
import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.numeric.Require;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Tests whether a challenger is better than a holder, at every n at once, on events that the holder
 * decides alone or shares with another version. The challenger is better by m if the lower
 * confidence sequence of V<sub>c</sub> − V<sub>h</sub> is at least m.
 *
 * <p>The sequences of the two values, at δ/2 each, are only reported: they need more examples,
 * because they do not use that both policies share the noise of the rewards.
 *
 * <p>A guardrail is the same sequence of a second reward, also at δ.
 *
 * <p>Exact propensities give the challenger weights with mean one. A confidence sequence of that
 * mean that excludes one shows that they are wrong.
 *
 * <p>The comparison assumes values that do not change over time; with drift it is about the average
 * since the comparison started.
 */
final class PolicyComparison {

    private static final int WEIGHT_CHECK = 100;

    private final double delta;
    private final long sinceMs;
    private final LowerConfidenceSequence challenger;
    private final UpperConfidenceSequence holder;
    private final DifferenceConfidenceSequence difference;
    private final MeanWeightBounds meanWeight;
    private Optional<DifferenceConfidenceSequence> guardrail; // empty without guardrail rewards

    /**
     * @param sinceMs earlier decisions are ignored
     */
    PolicyComparison(double delta, long sinceMs) {
        this(
                Require.delta(delta),
                sinceMs,
                new LowerConfidenceSequence(),
                new UpperConfidenceSequence(),
                new DifferenceConfidenceSequence(),
                Optional.empty(),
                new MeanWeightBounds());
    }

    private PolicyComparison(
            double delta,
            long sinceMs,
            LowerConfidenceSequence challenger,
            UpperConfidenceSequence holder,
            DifferenceConfidenceSequence difference,
            Optional<DifferenceConfidenceSequence> guardrail,
            MeanWeightBounds meanWeight) {
        this.delta = delta;
        this.sinceMs = sinceMs;
        this.challenger = challenger;
        this.holder = holder;
        this.difference = difference;
        this.guardrail = guardrail;
        this.meanWeight = meanWeight;
    }

    static PolicyComparison restore(ComparisonState state) {
        return new PolicyComparison(
                state.delta(),
                state.sinceMs(),
                LowerConfidenceSequence.restore(state.challenger()),
                UpperConfidenceSequence.restore(state.holder()),
                DifferenceConfidenceSequence.restore(state.difference()),
                state.guardrail().map(DifferenceConfidenceSequence::restore),
                MeanWeightBounds.restore(state.meanWeight()));
    }

    /** The same comparison, which reports the two values from now on only. */
    PolicyComparison withNewValues() {
        return new PolicyComparison(
                delta,
                sinceMs,
                new LowerConfidenceSequence(),
                new UpperConfidenceSequence(),
                difference,
                guardrail,
                meanWeight);
    }

    ComparisonState state() {
        return new ComparisonState(
                delta,
                sinceMs,
                challenger.state(),
                holder.state(),
                difference.state(),
                guardrail.map(DifferenceConfidenceSequence::state),
                meanWeight.state());
    }

    /**
     * Adds an example. Only the first one allocates.
     *
     * @param version the challenger
     * @param holderWeight weight of the holder
     * @param maxHolderWeight the largest one that the logging policy allows, at most 64
     */
    void add(
            ComparedExample example,
            ComparedVersion version,
            double holderWeight,
            double maxHolderWeight) {
        if (example.timeMs() < sinceMs) {
            return;
        }
        double weight = ImportanceWeight.of(version.probability(), example.propensity());
        double reward = example.reward();
        difference.add(weight, holderWeight, maxHolderWeight, version.loss(), reward);
        if (example.guardrailReward().isPresent()) {
            if (guardrail.isEmpty()) {
                guardrail = Optional.of(new DifferenceConfidenceSequence());
            }
            guardrail
                    .get()
                    .add(
                            weight,
                            holderWeight,
                            maxHolderWeight,
                            version.loss(),
                            example.guardrailReward().getAsDouble());
        }
        challenger.add(weight * reward);
        holder.add(holderWeight, reward);
        meanWeight.add(version.probability(), example.propensity(), example.maxWeight());
    }

    long count() {
        return difference.count();
    }

    long sinceMs() {
        return sinceMs;
    }

    double delta() {
        return delta;
    }

    /** Whether the challenger is better by at least this much, at confidence 1 − δ. */
    boolean isBetterBy(double gain) {
        return isBetterBy(gain, delta);
    }

    /** The same with another error probability, which must not depend on the examples. */
    boolean isBetterBy(double gain, double errorProbability) {
        return difference.rejects(gain, errorProbability);
    }

    /** The same for the guardrail reward; false without one. */
    boolean isGuardrailBetterBy(double gain, double errorProbability) {
        return guardrail.isPresent() && guardrail.get().rejects(gain, errorProbability);
    }

    /** The evidence for {@link #isBetterBy}: 1 if it is sufficient, 0 at the start. */
    double evidence(double gain) {
        return difference.evidence(gain, delta);
    }

    /** The same for the guardrail reward; 0 without one. */
    double guardrailEvidence(double gain) {
        return guardrail.isPresent() ? guardrail.get().evidence(gain, delta) : 0.0;
    }

    /**
     * Whether the mean weight of the challenger is not one, at confidence 1 − δ. Checked once per
     * {@value #WEIGHT_CHECK} examples.
     */
    boolean showsWrongPropensities() {
        return count() % WEIGHT_CHECK == 0 && meanWeight.excludesOne(delta);
    }

    GateBounds bounds() {
        return new GateBounds(
                challenger.bound(delta / 2.0),
                holder.bound(delta / 2.0),
                difference.bound(delta),
                guardrail.isPresent()
                        ? OptionalDouble.of(guardrail.get().bound(delta))
                        : OptionalDouble.empty(),
                count(),
                delta);
    }

    /** The bound on the difference in a loop's own unit, in words that follow "is better". */
    String margin(double errorProbability, RewardRange unit) {
        return margin(difference, errorProbability, unit);
    }

    /** The bound on the difference of guardrail rewards, in words that follow "is better". */
    String guardrailMargin(double errorProbability) {
        return " on the guardrail"
                + margin(guardrail.orElseThrow(), errorProbability, RewardRange.UNIT);
    }

    private static String margin(
            DifferenceConfidenceSequence sequence, double errorProbability, RewardRange unit) {
        return String.format( // the same text on every machine
                Locale.ROOT,
                " by at least %.4f, with error probability %.3g, after %d examples",
                unit.differenceFromUnit(sequence.bound(errorProbability)),
                errorProbability,
                sequence.count());
    }

    /** The bound on the difference of guardrail rewards, in words that follow the margin. */
    String guardrailWords() {
        return guardrail.isEmpty()
                ? "; no guardrail reward is known yet"
                : String.format(
                        Locale.ROOT,
                        "; its guardrail difference is at least %.4f",
                        guardrail.get().bound(delta));
    }
}
