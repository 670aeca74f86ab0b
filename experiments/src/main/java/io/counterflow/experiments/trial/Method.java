package io.counterflow.experiments.trial;

import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.ObjectiveSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A method that the experiments compare. */
public enum Method {
    LOGGING_POLICY(null, "Logging policy", Prior.LOGGING, false),
    IPS_L2(ObjectiveName.IPS_L2, "IPS-L2", Prior.NONE, false),
    POEM(ObjectiveName.POEM, "POEM", Prior.NONE, false),
    POEM_L2(ObjectiveName.POEM_L2, "POEM-L2", Prior.NONE, false),
    IPS_LPR(ObjectiveName.IPS_LPR, "IPS-LPR", Prior.LOGGING, false),
    WNLL_LPR(ObjectiveName.WNLL_LPR, "WNLL-LPR", Prior.LOGGING, false),
    IPS_LLPR(ObjectiveName.IPS_LPR, "IPS-LLPR", Prior.LEARNED, false),
    WNLL_LLPR(ObjectiveName.WNLL_LPR, "WNLL-LLPR", Prior.LEARNED, false),
    IPS_LPR_FROM_PRIOR(ObjectiveName.IPS_LPR, "IPS-LPR from the prior", Prior.LOGGING, true),
    LS_LPR_FROM_PRIOR(ObjectiveName.LS_LPR, "LS-LPR from the prior", Prior.LOGGING, true);

    /** τ of the paper's experiments. */
    public static final double PROPENSITY_FLOOR = 0.01;

    /** The centre of the regulariser. */
    enum Prior {
        /** The origin. */
        NONE,
        /** The logging policy. */
        LOGGING,
        /** An estimate of the logging policy, learned from its log. */
        LEARNED
    }

    private final @Nullable ObjectiveName objective;
    private final String title;
    private final Prior prior;
    private final boolean startsAtPrior;

    /**
     * @param objective the objective to minimise; null if nothing is trained
     */
    Method(@Nullable ObjectiveName objective, String title, Prior prior, boolean startsAtPrior) {
        this.objective = objective;
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

    /** The start of the parameters; zero in the paper. */
    TrainerConfig.Start start() {
        return startsAtPrior ? TrainerConfig.Start.PRIOR : TrainerConfig.Start.ZEROS;
    }

    /** Whether the method is trained. The logging policy is only evaluated. */
    public boolean isTrained() {
        return this != LOGGING_POLICY;
    }

    /** Whether λ is the strength of the variance regulariser. */
    public boolean regularisesVariance() {
        return this == POEM;
    }

    /** The method whose λ this method uses, as in the paper; itself if it is tuned. */
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
     * @param examples n; the smoothing of {@code ls-lpr} is 1/√n
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
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
