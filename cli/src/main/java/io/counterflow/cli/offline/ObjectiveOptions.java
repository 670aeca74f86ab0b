package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.ObjectiveSettings;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.DecisionRule;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The objective of the training. A picocli mixin. */
final class ObjectiveOptions {

    private static final double DEFAULT_LAMBDA = 1e-5;

    @Option(
            names = "--objective",
            required = true,
            paramLabel = "NAME",
            description = "One of ${COMPLETION-CANDIDATES}.")
    ObjectiveName name = ObjectiveName.IPS_LPR;

    @Option(
            names = "--lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description =
                    "Strength of the regulariser; for poem, of the variance penalty. Default: 1e-5; "
                            + "for poem 1; for ls-lpr 1/(2 prior-variance smoothing n). Not for "
                            + "bcrm, which derives it from --prior-variance.")
    private @Nullable Double lambda;

    @Option(
            names = "--variance-lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description = "Strength of the variance penalty of poem-l2. Default: 1.")
    private double varianceLambda = 1.0;

    @Option(
            names = "--tau",
            paramLabel = "X",
            converter = Ranges.PropensityFloor.class,
            description =
                    "Smallest propensity used as a divisor; for poem, 1/tau caps the ratio. "
                            + "Default: ${DEFAULT-VALUE}.")
    double tau = 0.01;

    @Option(
            names = "--smoothing",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description = "Logarithmic smoothing of ls-lpr. Default: 1/sqrt(n).")
    private @Nullable Double smoothing;

    @Option(
            names = "--trust",
            paramLabel = "X",
            converter = Ranges.AboveOne.class,
            description =
                    "For trust-lpr: weights between 1/X and X are those of ips-lpr, weights beyond "
                            + "are replaced by their logarithm. Default: ${DEFAULT-VALUE}.")
    private double trust = Objectives.TRUST;

    @Option(
            names = "--prior-variance",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description =
                    "Variance of the prior over the parameters times the inverse temperature, for "
                            + "ls-lpr and bcrm. Default: ${DEFAULT-VALUE}.")
    double priorVariance = 1.0;

    /**
     * The objective for a log.
     *
     * @param rule the decision rule of the trained policy
     */
    Objective objective(LoadedLog log, DecisionRule rule) {
        return BadInputException.ifRefused(
                "--objective " + name,
                () -> {
                    ObjectiveSettings settings =
                            settings(log.examples().size(), rule).servedBy(rule);
                    return name.objective(
                            name.isBayesian() ? settings.with(setting(log, rule)) : settings);
                });
    }

    private ObjectiveSettings settings(int n, DecisionRule rule) {
        double smoothed = smoothing == null ? 1.0 / Math.sqrt(n) : smoothing;
        double byDefault =
                name == ObjectiveName.LS_LPR
                        ? Objectives.lsLprStrength(priorVariance(rule), smoothed, n)
                        : DEFAULT_LAMBDA;
        // For POEM, λ is the strength of the variance penalty.
        double ofVariance = name == ObjectiveName.POEM && lambda != null ? lambda : varianceLambda;
        return ObjectiveSettings.of(lambda == null ? byDefault : lambda, tau, smoothed)
                .withVarianceLambda(ofVariance)
                .withTrust(trust);
    }

    /** The option is the variance of β w, this is the variance of w. */
    private double priorVariance(DecisionRule rule) {
        double beta = rule.inverseTemperature();
        return priorVariance / (beta * beta);
    }

    /** The constants of the theory. A bias counts as the weight of a constant feature. */
    private BayesianSetting setting(LoadedLog log, DecisionRule rule) {
        if (lambda != null) {
            throw new BadInputException(
                    "--lambda cannot be used with %s; use --prior-variance".formatted(name));
        }
        boolean biases = log.shape().biasCount() > 0;
        double norm = log.examples().maxNorm();
        return new BayesianSetting(
                log.examples().size(),
                tau,
                priorVariance(rule),
                // An inverse temperature β multiplies every feature by β.
                rule.inverseTemperature() * (biases ? StrictMath.hypot(norm, 1.0) : norm),
                log.shape().weightCount() + log.shape().biasCount());
    }
}
