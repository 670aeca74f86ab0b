package io.counterflow.core.loop;

/**
 * Which of two learners has the better policy, estimated on examples before either learns from
 * them.
 *
 * <p>For policies π<sub>m</sub> of the reward model and π<sub>l</sub> of LPR that depend on earlier
 * examples only, D = (π<sub>m</sub> − π<sub>l</sub>) r/p has the mean V<sub>m</sub> −
 * V<sub>l</sub>. The evidence for the reward model is the sum of D divided by its standard
 * deviation, with a memory of about {@value #MEMORY} examples, so that it follows changes. An
 * example without a reward has D = 0: the policies need not be evaluated for it.
 *
 * <p>The policy of the reward model goes forward until that of LPR is ahead by {@value #DEVIATIONS}
 * standard deviations, and again when LPR is no longer ahead. A greedy policy has few terms with
 * large weights: as long as none of them has come, LPR seems to be ahead. So some terms with the
 * largest weight so far are added to the variance. In the same way, the policy that goes forward is
 * compared with an active version that was not learned by this reward model, and must be ahead of
 * it by {@value #DEVIATIONS_OVER_ACTIVE} standard deviations, where one term is added: a first
 * lucky term is not enough. This chooses between candidates and is no guarantee, which is the task
 * of the gate.
 */
final class LearnerEvidence {

    private static final double MEMORY = 50_000.0;
    private static final double DEVIATIONS = 4.0;
    private static final double ADDED_TERMS = 4.0;
    private static final double DEVIATIONS_OVER_ACTIVE = 0.5;
    private static final double ADDED_TERMS_OVER_ACTIVE = 1.0;

    /** One wrong propensity must not outweigh everything else. */
    private static final double MAX_WEIGHT = 1e4;

    private static final double DECAY = 1.0 - 1.0 / MEMORY;

    private boolean prefersLpr;
    private double sum;
    private double squares;
    private double largestWeight;
    private double sumOverActive;
    private double squaresOverActive;

    LearnerEvidence(EvidenceState state) {
        this.prefersLpr = state.prefersLpr();
        this.sum = state.sum();
        this.squares = state.squares();
        this.largestWeight = state.largestWeight();
        this.sumOverActive = state.sumOverActive();
        this.squaresOverActive = state.squaresOverActive();
    }

    /** Adds an example without a reward. */
    void addUnrewarded() {
        sum *= DECAY;
        squares *= DECAY * DECAY;
        sumOverActive *= DECAY;
        squaresOverActive *= DECAY * DECAY;
    }

    /**
     * Adds an example with a reward, with the probability of its action under the policies of both
     * learners and of the active version.
     */
    void add(
            double ofRewardModel, double ofLpr, double ofActive, double propensity, double reward) {
        addUnrewarded();
        double ofForward = prefersLpr ? ofLpr : ofRewardModel;
        double overActive = reward * limited((ofForward - ofActive) / propensity);
        sumOverActive += overActive;
        squaresOverActive += overActive * overActive;
        double difference = reward * limited((ofRewardModel - ofLpr) / propensity);
        sum += difference;
        squares += difference * difference;
        largestWeight = Math.max(largestWeight, Math.min(MAX_WEIGHT, 1.0 / propensity));
        boolean lprBefore = prefersLpr;
        double deviation = Math.sqrt(squares + ADDED_TERMS * largestWeight * largestWeight);
        prefersLpr = prefersLpr ? sum < 0.0 : sum < -DEVIATIONS * deviation;
        if (prefersLpr != lprBefore) {
            restartOverActive();
        }
    }

    private static double limited(double weight) {
        return Math.max(-MAX_WEIGHT, Math.min(MAX_WEIGHT, weight));
    }

    /** Whether the policy that goes forward is ahead of the active one. */
    boolean isAheadOfActive() {
        double added = ADDED_TERMS_OVER_ACTIVE * largestWeight * largestWeight;
        return sumOverActive > DEVIATIONS_OVER_ACTIVE * Math.sqrt(squaresOverActive + added);
    }

    /** Starts the comparison with the active policy again, because another one is active. */
    void restartOverActive() {
        sumOverActive = 0.0;
        squaresOverActive = 0.0;
    }

    /** Whether the policy of LPR goes forward. */
    boolean prefersLpr() {
        return prefersLpr;
    }

    EvidenceState state() {
        return new EvidenceState(
                prefersLpr, sum, squares, largestWeight, sumOverActive, squaresOverActive);
    }
}
