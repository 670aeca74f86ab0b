package io.counterflow.cli;

import io.counterflow.core.learn.BayesianObjective;
import io.counterflow.core.learn.BayesianSetting;
import io.counterflow.core.learn.Objective;
import io.counterflow.core.learn.Objectives;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What training minimises. A picocli mixin. */
final class ObjectiveOptions {

    private static final double DEFAULT_LAMBDA = 1e-5;
    private static final double DEFAULT_VARIANCE_LAMBDA = 1.0;

    @Option(
            names = "--objective",
            required = true,
            converter = ObjectiveName.Converter.class,
            completionCandidates = ObjectiveName.Candidates.class,
            paramLabel = "NAME",
            description = "One of ${COMPLETION-CANDIDATES}.")
    private ObjectiveName name = ObjectiveName.IPS_LPR;

    @Option(
            names = "--lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description =
                    "Strength of the regulariser; for poem, that of the variance. Default: 1e-5, 1 "
                            + "for poem, 1/(2 prior-variance log-smoothing n) for ls-lpr; bcrm "
                            + "derives it from the prior's variance.")
    private @Nullable Double lambda;

    @Option(
            names = "--variance-lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description = "Strength of the variance in poem-l2. Default: 1.")
    private double varianceLambda = DEFAULT_VARIANCE_LAMBDA;

    @Option(
            names = "--tau",
            paramLabel = "X",
            converter = Ranges.PropensityFloor.class,
            description =
                    "Smallest propensity used as a divisor; for poem, 1/tau caps the ratio. "
                            + "Default: ${DEFAULT-VALUE}.")
    private double tau = 0.01;

    @Option(
            names = "--log-smoothing",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description = "Logarithmic smoothing of ls-lpr. Default: 1/sqrt(n).")
    private @Nullable Double logSmoothing;

    @Option(
            names = "--trust",
            paramLabel = "X",
            converter = Ranges.AboveOne.class,
            description =
                    "In trust-lpr, weights between 1/X and X are those of ips-lpr; beyond, they "
                            + "count by their logarithm. Default: ${DEFAULT-VALUE}.")
    private double trust = Objectives.TRUST;

    @Option(
            names = "--prior-variance",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description =
                    "Variance of the prior, for ls-lpr, bcrm and the certificate's bound. Default: "
                            + "${DEFAULT-VALUE}.")
    private double priorVariance = 1.0;

    ObjectiveName name() {
        return name;
    }

    double tau() {
        return tau;
    }

    double priorVariance() {
        return priorVariance;
    }

    /** The objective for a log. */
    Objective objective(LoadedLog log) {
        return BadInputException.ifRefused(
                "--objective " + name,
                () ->
                        switch (name) {
                            case IPS_LPR -> Objectives.ipsLpr(tau, lambdaOr(DEFAULT_LAMBDA));
                            case WNLL_LPR -> Objectives.wnllLpr(tau, lambdaOr(DEFAULT_LAMBDA));
                            case IPS_L2 -> Objectives.ipsL2(tau, lambdaOr(DEFAULT_LAMBDA));
                            case LS_LPR -> lsLpr(log.examples().size());
                            case TRUST_LPR -> Objectives.trustLpr(trust, lambdaOr(DEFAULT_LAMBDA));
                            case POEM -> Objectives.poem(tau, lambdaOr(DEFAULT_VARIANCE_LAMBDA));
                            case POEM_L2 ->
                                    Objectives.poemL2(
                                            tau, varianceLambda, lambdaOr(DEFAULT_LAMBDA));
                            case BCRM -> new BayesianObjective(setting(log));
                            case BCRM_CONVEX -> setting(log).convexObjective();
                        });
    }

    private Objective lsLpr(int n) {
        double smoothing = logSmoothing == null ? 1.0 / Math.sqrt(n) : logSmoothing;
        return Objectives.lsLpr(smoothing, lambdaOr(1.0 / (2.0 * priorVariance * smoothing * n)));
    }

    /** The theory's constants, with each bias as the weight of a constant feature. */
    BayesianSetting setting(LoadedLog log) {
        if (lambda != null) {
            throw new BadInputException(
                    "--lambda does not go with %s; give --prior-variance".formatted(name));
        }
        boolean biases = log.shape().biasCount() > 0;
        double norm = log.examples().largestNorm();
        return new BayesianSetting(
                log.examples().size(),
                tau,
                priorVariance,
                biases ? StrictMath.hypot(norm, 1.0) : norm,
                log.shape().weightCount() + log.shape().biasCount());
    }

    private double lambdaOr(double byDefault) {
        return lambda == null ? byDefault : lambda;
    }
}
