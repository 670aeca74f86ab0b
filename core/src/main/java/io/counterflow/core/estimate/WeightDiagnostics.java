package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;

/**
 * Statistics of the importance weights w = π(a|x)/p, without truncation.
 *
 * <p>The mean weight should be one. Otherwise propensities are wrong, or actions of the target have
 * probability 0 under the logging policy.
 */
final class WeightDiagnostics {

    private final double propensityFloor;
    private long count;
    private double sum;
    private double squareSum;
    private double largest;
    private long flooredCount;
    private long cappedCount;

    /**
     * @param propensityFloor τ, in (0, 1], of the truncation
     */
    public WeightDiagnostics(double propensityFloor) {
        this.propensityFloor = Require.propensityFloor(propensityFloor);
    }

    /** Adds an example with target probability π(a|x) and propensity p. */
    public void add(double targetProbability, double propensity) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        count++;
        sum += weight;
        squareSum += weight * weight;
        largest = Math.max(largest, weight);
        if (propensity < propensityFloor) {
            flooredCount++;
        }
        if (weight > 1.0 / propensityFloor) {
            cappedCount++;
        }
    }

    /** Adds all examples of another with the same τ. */
    public void merge(WeightDiagnostics other) {
        MeanEstimator.requireEqual("propensityFloor", propensityFloor, other.propensityFloor);
        count += other.count;
        sum += other.sum;
        squareSum += other.squareSum;
        largest = Math.max(largest, other.largest);
        flooredCount += other.flooredCount;
        cappedCount += other.cappedCount;
    }

    /** n. */
    public long count() {
        return count;
    }

    /** Σ w / n; 0 for no examples. */
    public double meanWeight() {
        return count == 0 ? 0.0 : sum / count;
    }

    /** The largest w; 0 for no examples. */
    public double maxWeight() {
        return largest;
    }

    /** Share of examples with p &lt; τ, those that {@link TruncatedIps} changes. */
    public double flooredShare() {
        return count == 0 ? 0.0 : (double) flooredCount / count;
    }

    /** Share of examples with π/p &gt; 1/τ, those that {@link ClippedRatioIps} changes. */
    public double cappedShare() {
        return count == 0 ? 0.0 : (double) cappedCount / count;
    }

    /**
     * (Σ w)²/Σ w², in [0, n]: the number of examples of weight one with the same information. 0 if
     * the target never chooses a logged action.
     */
    public double effectiveSampleSize() {
        return squareSum == 0.0 ? 0.0 : Math.min((double) count, sum / squareSum * sum);
    }

    void save(StoredSums to) {
        to.writeCount(count);
        to.write(sum);
        to.write(squareSum);
        to.write(largest);
        to.writeCount(flooredCount);
        to.writeCount(cappedCount);
    }

    void load(StoredSums from) {
        count = from.readCount();
        sum = from.read();
        squareSum = from.read();
        largest = from.read();
        flooredCount = from.readCount();
        cappedCount = from.readCount();
    }
}
