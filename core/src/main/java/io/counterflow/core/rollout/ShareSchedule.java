package io.counterflow.core.rollout;

/**
 * The share of the events that the candidates of a generation decide while the gate compares them.
 *
 * <p>The more likely it is that they are better, the larger is the share: evidence grows with the
 * share, and so does what a bad candidate costs. The share is the probability that candidates are
 * better, as estimated from the examples so far. If the active version is one that somebody gave to
 * the loop, a caution of one standard deviation is subtracted. Otherwise it is the uniform policy
 * or an older version of the same learner, which candidates are rarely worse than, and half a
 * standard deviation is added. The share grows one step at a time and falls at once.
 *
 * <p>The share is known before a decision and is logged with it, so it does not affect whether the
 * gate's bounds hold.
 */
final class ShareSchedule {

    /** The share is adjusted once per this many examples. */
    static final int EXAMPLES = 250;

    private static final double[] SHARES = {0.02, 0.05, 0.1, 0.2, 0.4, 0.9};

    /** By how many standard deviations candidates must be ahead for each: normal quantiles. */
    private static final double[] DEVIATIONS = {
        Double.NEGATIVE_INFINITY, -1.64, -1.28, -0.84, -0.25, 0.84
    };

    /** Subtracted from the deviations next to a version that somebody gave. */
    private static final double CAUTION = 1.0;

    /** Added to the deviations next to other versions. */
    private static final double CONFIDENCE = 0.5;

    private static final int FIRST = 4;
    private static final int FIRST_WITH_CAUTION = 2;

    /** So many rewards with the weight of the share are added to those seen. */
    private static final double PRIOR_REWARDS = 4.0;

    /** The largest weight for that, which an exploration floor gives even to a small share. */
    private static final double MAX_PRIOR_WEIGHT = 10.0;

    private final GateCriterion criterion;
    private final GainEvidence gain;
    private final GainEvidence guardrailGain;
    private boolean isGiven; // the active version

    ShareSchedule(GateCriterion criterion, GateState state) {
        this.criterion = criterion;
        this.isGiven = state.isActiveGiven();
        this.gain = new GainEvidence(state.gain());
        this.guardrailGain = new GainEvidence(state.guardrailGain());
    }

    /** Adds an example with the weights of the candidate and the active version. */
    void add(ComparedExample example) {
        double weight =
                example.candidate().probability() / example.propensity() - example.activeWeight();
        gain.add(weight * example.reward() - criterion.minimumGain());
        if (criterion.guardrailMargin().isPresent() && example.guardrailReward().isPresent()) {
            guardrailGain.add(
                    weight * example.guardrailReward().getAsDouble()
                            + criterion.guardrailMargin().getAsDouble());
        }
    }

    /** The share of the next candidate if there was none. */
    double first(double maxShare) {
        double first = SHARES[isGiven ? FIRST_WITH_CAUTION : FIRST];
        return Math.min(Math.min(maxShare, first), next(first, maxShare));
    }

    /** The share after the examples so far, where it was another one. */
    double next(double share, double maxShare) {
        double weight = share > 0.0 ? Math.min(MAX_PRIOR_WEIGHT, 1.0 / share) : MAX_PRIOR_WEIGHT;
        double prior = PRIOR_REWARDS * weight * weight;
        double deviations =
                Math.min(gain.deviations(prior), guardrail(prior))
                        - (isGiven ? CAUTION : -CONFIDENCE);
        int earned = 0;
        int current = 0;
        for (int i = 1; i < SHARES.length; i++) {
            earned = deviations >= DEVIATIONS[i] ? i : earned;
            current = share >= SHARES[i] ? i : current;
        }
        return Math.min(maxShare, SHARES[Math.min(earned, current + 1)]);
    }

    private double guardrail(double prior) {
        return criterion.guardrailMargin().isPresent()
                ? guardrailGain.deviations(prior)
                : Double.POSITIVE_INFINITY;
    }

    /** Forgets the examples so far. */
    void restart() {
        restart(isGiven);
    }

    /**
     * Candidates are compared with another version from now on.
     *
     * @param given whether somebody gave it to the loop
     */
    void restart(boolean given) {
        isGiven = given;
        gain.restart();
        guardrailGain.restart();
    }

    boolean isGiven() {
        return isGiven;
    }

    GainState gain() {
        return gain.state();
    }

    GainState guardrailGain() {
        return guardrailGain.state();
    }
}
