package io.counterflow.experiments.openbandit;

import io.counterflow.core.estimate.Interval;
import java.util.Optional;

/**
 * One estimate, beside the truth.
 *
 * @param campaign men or women
 * @param policy the policy whose value is estimated: bts or random
 * @param log the policy that logged the examples
 * @param estimator name of the estimator
 * @param value the estimate
 * @param normal its normal interval
 * @param guaranteed its guaranteed interval; empty if it has none
 * @param clicks mean reward in the log of the policy itself
 * @param clicksInterval guaranteed interval of that mean
 * @param published click rate of the policy in the full dataset
 * @param effectiveSampleSize (Σ w)²/Σ w²
 */
record OpenBanditRow(
        String campaign,
        String policy,
        String log,
        String estimator,
        double value,
        Interval normal,
        Optional<Interval> guaranteed,
        double clicks,
        Interval clicksInterval,
        double published,
        double effectiveSampleSize) {}
