package io.counterflow.core.spec;

import java.util.Locale;

/** What a loop learns with. */
public enum LearnerKind {
    /** The paper's method: a policy is learned by AdaGrad from importance-weighted rewards. */
    LPR,
    /** A model of the reward is learned in one pass; its policy takes the best predicted action. */
    REWARD_MODEL,
    /** Both; the policy of the one with the higher estimated reward goes forward. */
    BEST;

    /** Whether policies are learned by LPR. */
    public boolean hasLpr() {
        return this != REWARD_MODEL;
    }

    /** Whether a model of the reward is learned. */
    public boolean hasRewardModel() {
        return this != LPR;
    }

    /** The name in specs, such as {@code reward-model}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
