package io.counterflow.experiments.trial;

import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.ObjectiveSettings;
import org.jspecify.annotations.Nullable;

/** A way to learn from a log that the experiments compare. */
public enum Method {
    LOGGING_POLICY(null, "logging-policy", "Logging policy", Prior.LOGGING, false),
    IPS_L2(ObjectiveName.IPS_L2, "ips-l2", "IPS-L2", Prior.NONE, false),
    POEM(ObjectiveName.POEM, "poem", "POEM", Prior.NONE, false),
    POEM_L2(ObjectiveName.POEM_L2, "poem-l2", "POEM-L2", Prior.NONE, false),
    IPS_LPR(ObjectiveName.IPS_LPR, "ips-lpr", "IPS-LPR", Prior.LOGGING, false),
    WNLL_LPR(ObjectiveName.WNLL_LPR, "wnll-lpr", "WNLL-LPR", Prior.LOGGING, false),
    IPS_LLPR(ObjectiveName.IPS_LPR, "ips-llpr", "IPS-LLPR", Prior.LEARNED, false),
    WNLL_LLPR(ObjectiveName.WNLL_LPR, "wnll-llpr", "WNLL-LLPR", Prior.LEARNED, false),
    IPS_LPR_FROM_PRIOR(
            ObjectiveName.IPS_LPR,
            "ips-lpr-from-prior",
            "IPS-LPR from the prior",
            Prior.LOGGING,
            true),
    LS_LPR_FROM_PRIOR(
            ObjectiveName.LS_LPR,
            "ls-lpr-from-prior",
            "LS-LPR from the prior",
            Prior.LOGGING,
            true);

    /** τ of the paper's experiments. */
    public static final double PROPENSITY_FLOOR = 0.01;

    /** What the regulariser pulls to. */
    enum Prior {
        /** The origin. */
        NONE,
        /** The policy that logged. */
        LOGGING,
        /** An estimate of it, learned from what it logged. */
        LEARNED
    }

    private final @Nullable ObjectiveName objective;
    private final String label;
    private final String title;
    private final Prior prior;
    private final boolean startsAtPrior;

    /**
     * @param objective what is minimised; null where nothing is trained
     */
    Method(
            @Nullable ObjectiveName objective,
            String label,
            String title,
            Prior prior,
            boolean startsAtPrior) {
        this.objective = objective;
        this.label = label;
        this.title = title;
        this.prior = prior;
        this.startsAtPrior = startsAtPrior;
    }

    /** Its name in tables. */
    public String title() {
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
    public boolean isTrained() {
        return this != LOGGING_POLICY;
    }

    /** Whether its λ is that of the variance. */
    public boolean regularisesVariance() {
        return this == POEM;
    }

    /** The method whose λ this one takes, as the paper does; itself where it is tuned. */
    public Method tunedAs() {
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
        if (objective == null) {
            throw new IllegalArgumentException("the logging policy is not trained again");
        }
        double lambda = strength.lambda();
        return objective.objective(
                ObjectiveSettings.of(lambda, PROPENSITY_FLOOR, 1.0 / Math.sqrt(examples))
                        .withVarianceLambda(
                                regularisesVariance() ? lambda : strength.varianceLambda()));
    }

    /** Its name on the command line and in result files. */
    @Override
    public String toString() {
        return label;
    }
}
