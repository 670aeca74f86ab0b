package io.counterflow.core.snapshot;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * How a policy was learned.
 *
 * @param objective name of the objective, such as {@code ips-lpr}; empty if it was not trained
 * @param lambda strength of the regularisation, λ
 * @param tau smallest propensity used as a divisor, τ
 * @param examples number of examples it was learned from
 * @param propensitiesEstimated whether propensities were estimated from the log
 * @param specDigest digest of the loop's spec; empty outside a loop
 * @param specVersion version of that spec
 */
public record Training(
        String objective,
        OptionalDouble lambda,
        OptionalDouble tau,
        long examples,
        boolean propensitiesEstimated,
        String specDigest,
        long specVersion) {

    /** The objective of a logging policy that was learned from its logged actions. */
    public static final String LOGGING_POLICY = "logging-policy";

    private static final Training NONE =
            new Training("", OptionalDouble.empty(), OptionalDouble.empty(), 0, false, "", 0);

    public Training {
        lambda.ifPresent(value -> Require.finiteAtLeastZero(value, "lambda"));
        tau.ifPresent(value -> Require.share(value, "tau"));
        Require.atLeast(0, examples, "examples");
    }

    /** A policy that was not trained. */
    public static Training none() {
        return NONE;
    }
}
