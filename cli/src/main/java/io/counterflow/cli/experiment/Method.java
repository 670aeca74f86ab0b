package io.counterflow.cli.experiment;

import io.counterflow.core.learn.Objective;
import io.counterflow.core.learn.Objectives;
import io.counterflow.core.learn.TrainerConfig;

/** A way to learn from a log that the experiments compare. */
enum Method {
    LOGGING_POLICY("logging-policy", "Logging policy", Prior.LOGGING, false),
    IPS_L2("ips-l2", "IPS-L2", Prior.NONE, false),
    POEM("poem", "POEM", Prior.NONE, false),
    POEM_L2("poem-l2", "POEM-L2", Prior.NONE, false),
    IPS_LPR("ips-lpr", "IPS-LPR", Prior.LOGGING, false),
    WNLL_LPR("wnll-lpr", "WNLL-LPR", Prior.LOGGING, false),
    IPS_LLPR("ips-llpr", "IPS-LLPR", Prior.LEARNED, false),
    WNLL_LLPR("wnll-llpr", "WNLL-LLPR", Prior.LEARNED, false),
    IPS_LPR_FROM_PRIOR("ips-lpr-from-prior", "IPS-LPR from the prior", Prior.LOGGING, true),
    LS_LPR_FROM_PRIOR("ls-lpr-from-prior", "LS-LPR from the prior", Prior.LOGGING, true);

    /** τ of the paper's experiments. */
    static final double PROPENSITY_FLOOR = 0.01;

    /** What the regulariser pulls to. */
    enum Prior {
        /** The origin. */
        NONE,
        /** The policy that logged. */
        LOGGING,
        /** An estimate of it, learned from what it logged. */
        LEARNED
    }

    private final String label;
    private final String title;
    private final Prior prior;
    private final boolean startsAtPrior;

    Method(String label, String title, Prior prior, boolean startsAtPrior) {
        this.label = label;
        this.title = title;
        this.prior = prior;
        this.startsAtPrior = startsAtPrior;
    }

    /** Its name in tables. */
    String title() {
        return title;
    }

    Prior prior() {
        return prior;
    }

    /** Where the parameters start: at zero in the paper. */
    TrainerConfig.Start start() {
        return startsAtPrior ? TrainerConfig.Start.PRIOR : TrainerConfig.Start.ZEROS;
    }

    /** Whether there is anything to train: the logging policy itself is only measured. */
    boolean isTrained() {
        return this != LOGGING_POLICY;
    }

    /** Whether its λ is that of the variance. */
    boolean regularisesVariance() {
        return this == POEM;
    }

    /** The method whose λ this one takes, as the paper does; itself where it is tuned. */
    Method tunedAs() {
        return switch (this) {
            case IPS_LLPR -> IPS_LPR;
            case WNLL_LLPR -> WNLL_LPR;
            default -> this;
        };
    }

    /**
     * The objective.
     *
     * @param strength its λ
     * @param examples n, of which the smoothing of {@code ls-lpr} is 1/√n
     */
    Objective objective(Strength strength, int examples) {
        double lambda = strength.lambda();
        return switch (this) {
            case LOGGING_POLICY ->
                    throw new IllegalArgumentException("the logging policy is not trained again");
            case IPS_L2 -> Objectives.ipsL2(PROPENSITY_FLOOR, lambda);
            case POEM -> Objectives.poem(PROPENSITY_FLOOR, lambda);
            case POEM_L2 -> Objectives.poemL2(PROPENSITY_FLOOR, strength.varianceLambda(), lambda);
            case IPS_LPR, IPS_LLPR, IPS_LPR_FROM_PRIOR ->
                    Objectives.ipsLpr(PROPENSITY_FLOOR, lambda);
            case WNLL_LPR, WNLL_LLPR -> Objectives.wnllLpr(PROPENSITY_FLOOR, lambda);
            case LS_LPR_FROM_PRIOR -> Objectives.lsLpr(1.0 / Math.sqrt(examples), lambda);
        };
    }

    /** Its name on the command line and in result files. */
    @Override
    public String toString() {
        return label;
    }
}
