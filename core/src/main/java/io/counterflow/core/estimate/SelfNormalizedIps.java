package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * The self-normalised estimator (Swaminathan and Joachims 2015): Σ w r / Σ w with w = π(a|x)/p.
 *
 * <p>Always within the range of the rewards, and invariant to a constant that is added to all
 * rewards; its bias is O(1/n). It is not a mean of independent terms, so the paper's bounds and
 * empirical Bernstein do not apply. When no logged action has positive probability under the target
 * (Σ w = 0) the value is 0 and the standard error infinite.
 */
final class SelfNormalizedIps implements ValueEstimator<SelfNormalizedIps> {

    private long count;
    private double weightSum;
    private double weightedRewardSum;

    // Rewards weighted by w², for the standard error: Σ w², their mean, and Σ w² (r − mean)².
    private double squaredWeightSum;
    private double rewardMean;
    private double rewardDeviations;

    @Override
    public void add(double targetProbability, double propensity, double reward) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        Require.reward(reward);
        count++;
        weightSum += weight;
        weightedRewardSum += weight * reward;
        include(weight * weight, reward, 0.0);
    }

    @Override
    public void merge(SelfNormalizedIps other) {
        count += other.count;
        weightSum += other.weightSum;
        weightedRewardSum += other.weightedRewardSum;
        include(other.squaredWeightSum, other.rewardMean, other.rewardDeviations);
    }

    /** West's (1979) update of a weighted mean and its deviations, by a group of rewards. */
    private void include(double squaredWeight, double mean, double deviations) {
        if (squaredWeight == 0.0) {
            return; // also if the square underflows: adds nothing to any sum
        }
        double before = squaredWeightSum;
        double total = before + squaredWeight;
        double difference = mean - rewardMean;
        double share = squaredWeight / total;
        rewardMean += difference * share;
        rewardDeviations += deviations + difference * difference * share * before;
        squaredWeightSum = total;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public double value() {
        if (count == 0) {
            throw new IllegalStateException("no examples to estimate a value from");
        }
        return weightSum == 0.0 ? 0.0 : weightedRewardSum / weightSum;
    }

    /**
     * By the delta method: √(n/(n−1) Σ w² (r − V)²) / Σ w. With all weights one it is the standard
     * error of a mean.
     */
    @Override
    public double standardError() {
        if (count < 2 || weightSum == 0.0) {
            return Double.POSITIVE_INFINITY;
        }
        double shift = rewardMean - value();
        double sum = rewardDeviations + squaredWeightSum * shift * shift;
        return Math.sqrt(sum * ((double) count / (count - 1))) / weightSum;
    }

    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.empty();
    }

    void save(StoredSums to) {
        to.writeCount(count);
        to.write(weightSum);
        to.write(weightedRewardSum);
        to.write(squaredWeightSum);
        to.write(rewardMean);
        to.write(rewardDeviations);
    }

    void load(StoredSums from) {
        count = from.readCount();
        weightSum = from.read();
        weightedRewardSum = from.read();
        squaredWeightSum = from.read();
        rewardMean = from.read();
        rewardDeviations = from.read();
    }
}
