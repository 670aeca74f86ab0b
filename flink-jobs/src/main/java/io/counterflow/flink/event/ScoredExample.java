package io.counterflow.flink.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one example that windows add up.
 *
 * @param loggedBy version of the logging policy: the active one if two versions shared the events
 * @param decidedBy version of the policy that drew the action
 * @param holdout whether the baseline version decided it for the holdout
 * @param apprentice whether its action was shown for certain, because the loop was an apprentice
 * @param action the action that was chosen, from 0
 * @param actions number of actions to choose from
 * @param propensity p, in (0, 1]
 * @param reward r, in [0, 1]
 * @param activeVersion version of the logging policy at this moment
 * @param activeProbability its π(a|x)
 * @param candidateVersion version of the newest candidate; null if there is none
 * @param candidateProbability its π(a|x); 0 if there is none
 * @param uniformProbability one over the number of allowed actions
 * @param distribution the logged probability of every action; empty if it was not logged
 * @param audit result of computing the propensity again
 */
public record ScoredExample(
        String loop,
        long loggedBy,
        long decidedBy,
        boolean holdout,
        boolean apprentice,
        int action,
        int actions,
        double propensity,
        double reward,
        long activeVersion,
        double activeProbability,
        @Nullable Long candidateVersion,
        double candidateProbability,
        double uniformProbability,
        List<Double> distribution,
        Audit audit,
        EstimateSettings settings) {

    /** The result of computing a propensity again. */
    public enum Audit {
        /** It could not be computed: another spec, a removed version, or no exact propensity. */
        NOT_DONE,
        MATCH,
        MISMATCH
    }

    /**
     * Settings of the estimators of a loop.
     *
     * @param propensityFloor τ
     * @param smoothing s of logarithmic smoothing
     * @param delta δ of intervals and confidence sequences
     * @param explorationFloor ε of the served policies; 0 for none
     */
    public record EstimateSettings(
            double propensityFloor, double smoothing, double delta, double explorationFloor) {}
}
