package io.counterflow.core.estimate;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import java.util.Optional;

/** All estimators of one target policy at once. */
public final class PolicyEvaluation {

    private final Ips ips = new Ips();
    private final TruncatedIps truncatedIps;
    private final SelfNormalizedIps selfNormalized = new SelfNormalizedIps();
    private final ClippedRatioIps clippedRatioIps;
    private final LogSmoothedIps logSmoothed;
    private final DoublyRobust doublyRobust = new DoublyRobust();
    private final OnPolicyMean onPolicyMean = new OnPolicyMean();
    private final WeightDiagnostics weights;
    private final double propensityFloor;
    private final double smoothing;

    /**
     * @param propensityFloor τ of both kinds of clipping, in (0, 1]
     * @param smoothing λ of {@link LogSmoothedIps}
     */
    public PolicyEvaluation(double propensityFloor, double smoothing) {
        this.truncatedIps = new TruncatedIps(propensityFloor);
        this.clippedRatioIps = new ClippedRatioIps(propensityFloor);
        this.logSmoothed = new LogSmoothedIps(smoothing);
        this.weights = new WeightDiagnostics(propensityFloor);
        this.propensityFloor = propensityFloor;
        this.smoothing = smoothing;
    }

    /**
     * Continues from a stored state.
     *
     * @throws IllegalArgumentException if the state was not returned by {@link #state()}
     */
    public static PolicyEvaluation restore(EvaluationState state) {
        PolicyEvaluation restored =
                new PolicyEvaluation(state.propensityFloor(), state.smoothing());
        StoredSums from = new StoredSums(state.sums());
        restored.ips.load(from);
        restored.truncatedIps.load(from);
        restored.selfNormalized.load(from);
        restored.clippedRatioIps.load(from);
        restored.logSmoothed.load(from);
        restored.doublyRobust.load(from);
        restored.onPolicyMean.load(from);
        restored.weights.load(from);
        from.requireEnd();
        return restored;
    }

    /** The state to store. */
    public EvaluationState state() {
        StoredSums to = new StoredSums();
        ips.save(to);
        truncatedIps.save(to);
        selfNormalized.save(to);
        clippedRatioIps.save(to);
        logSmoothed.save(to);
        doublyRobust.save(to);
        onPolicyMean.save(to);
        weights.save(to);
        return new EvaluationState(propensityFloor, smoothing, to.toNumbers());
    }

    /** Adds an example; arguments as in {@link ValueEstimator#add}. Allocates nothing. */
    public void add(double targetProbability, double propensity, double reward) {
        Require.reward(reward); // before any sum changes: a refused example changes nothing
        weights.add(targetProbability, propensity);
        ips.add(targetProbability, propensity, reward);
        truncatedIps.add(targetProbability, propensity, reward);
        selfNormalized.add(targetProbability, propensity, reward);
        clippedRatioIps.add(targetProbability, propensity, reward);
        logSmoothed.add(targetProbability, propensity, reward);
        onPolicyMean.add(targetProbability, propensity, reward);
    }

    /** Adds an example with modelled rewards; arguments as in {@link DoublyRobust#add}. */
    public void add(
            double targetProbability,
            double propensity,
            double reward,
            double modelledReward,
            double modelledValue) {
        doublyRobust.add(targetProbability, propensity, reward, modelledReward, modelledValue);
        add(targetProbability, propensity, reward);
    }

    /** Adds all examples of a log. */
    public void addAll(ExampleLog log, Policy target) {
        double[] probabilities = new double[0];
        for (int i = 0; i < log.size(); i++) {
            probabilities = probabilities(log, i, target, probabilities);
            add(probabilities[log.action(i)], log.propensity(i), log.reward(i));
        }
    }

    /** Adds all examples of a log with modelled rewards, which gives a doubly robust estimate. */
    public void addAll(ExampleLog log, Policy target, CrossFittedRewardModel rewards) {
        double[] probabilities = new double[0];
        double[] modelled = new double[0];
        for (int i = 0; i < log.size(); i++) {
            probabilities = probabilities(log, i, target, probabilities);
            int actions = target.actionCount(log.features(i));
            modelled = modelled.length < actions ? new double[actions] : modelled;
            rewards.predict(i, log.features(i), modelled);
            double value = 0.0;
            for (int k = 0; k < actions; k++) {
                value += probabilities[k] * modelled[k];
            }
            // Probabilities may add up to slightly more than one.
            add(
                    probabilities[log.action(i)],
                    log.propensity(i),
                    log.reward(i),
                    modelled[log.action(i)],
                    Math.min(1.0, value));
        }
    }

    /** π(·|x) of example i, in the given buffer or in a longer one. */
    private static double[] probabilities(ExampleLog log, int i, Policy target, double[] buffer) {
        Features x = log.features(i);
        int actions = target.actionCount(x);
        if (log.action(i) >= actions) {
            throw new IllegalArgumentException(
                    "example %d logged action %d but the policy has %d actions"
                            .formatted(i, log.action(i), actions));
        }
        double[] probabilities = buffer.length < actions ? new double[actions] : buffer;
        target.probabilities(x, log.allowed(i), probabilities);
        return probabilities;
    }

    /** Adds all examples of another evaluation with the same settings. */
    public void merge(PolicyEvaluation other) {
        logSmoothed.requireSameSettings(other.logSmoothed); // before any sum changes
        weights.merge(other.weights);
        logSmoothed.merge(other.logSmoothed);
        ips.merge(other.ips);
        truncatedIps.merge(other.truncatedIps);
        selfNormalized.merge(other.selfNormalized);
        clippedRatioIps.merge(other.clippedRatioIps);
        doublyRobust.merge(other.doublyRobust);
        onPolicyMean.merge(other.onPolicyMean);
    }

    /** n, the number of examples. */
    public long count() {
        return ips.count();
    }

    /**
     * All estimates, with intervals that each fail with probability δ.
     *
     * @throws IllegalStateException if there are no examples yet
     */
    public EvaluationResult result(double delta) {
        return new EvaluationResult(
                count(),
                delta,
                Estimate.of(ips, delta),
                Estimate.of(truncatedIps, delta),
                Estimate.of(selfNormalized, delta),
                Estimate.of(clippedRatioIps, delta),
                Estimate.of(logSmoothed, delta),
                doublyRobust.count() == count()
                        ? Optional.of(Estimate.of(doublyRobust, delta))
                        : Optional.empty(),
                Estimate.of(onPolicyMean, delta),
                weights.effectiveSampleSize(),
                weights.meanWeight(),
                weights.flooredShare(),
                weights.cappedShare(),
                weights.maxWeight());
    }
}
