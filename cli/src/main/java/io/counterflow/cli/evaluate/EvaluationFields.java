package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.Interval;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The JSON fields of an evaluation. */
public final class EvaluationFields {

    static final String IPS = "ips";
    static final String TRUNCATED_IPS = "truncatedIps";
    static final String SELF_NORMALIZED = "selfNormalized";
    static final String CLIPPED_RATIO_IPS = "clippedRatioIps";
    static final String DOUBLY_ROBUST = "doublyRobust";
    static final String ON_POLICY_MEAN = "onPolicyMean";

    private EvaluationFields() {}

    /**
     * The fields of an evaluation.
     *
     * @param independent whether one policy logged, which empirical Bernstein intervals need
     */
    public static Map<String, @Nullable Object> of(EvaluationResult result, boolean independent) {
        return of(result, independent, Map.of());
    }

    /**
     * The fields of an evaluation.
     *
     * @param independent whether one policy logged, which empirical Bernstein intervals need
     * @param betting guaranteed intervals, by estimator
     */
    static Map<String, @Nullable Object> of(
            EvaluationResult result, boolean independent, Map<String, Interval> betting) {
        Map<String, Object> standardErrors = new LinkedHashMap<>();
        Map<String, Object> intervals = new LinkedHashMap<>();
        FieldReport fields =
                new FieldReport().field("n", result.n()).field("delta", result.delta());
        estimates(result)
                .forEach(
                        (name, estimate) -> {
                            fields.field(name, estimate.value());
                            standardErrors.put(name, estimate.standardError());
                            intervals.put(
                                    name, intervals(estimate, independent, betting.get(name)));
                        });
        return fields.field("standardErrors", standardErrors)
                .field("intervals", intervals)
                .field("effectiveSampleSize", result.effectiveSampleSize())
                .field("meanWeight", result.meanWeight())
                .field("clipRate", result.clipRate())
                .field("ratioClipRate", result.ratioClipRate())
                .field("maxWeight", result.maxWeight())
                .toJson();
    }

    /** All estimates, by name. */
    static Map<String, Estimate> estimates(EvaluationResult result) {
        Map<String, Estimate> estimates = new LinkedHashMap<>();
        estimates.put(IPS, result.ips());
        estimates.put(TRUNCATED_IPS, result.truncatedIps());
        estimates.put(SELF_NORMALIZED, result.selfNormalized());
        estimates.put(CLIPPED_RATIO_IPS, result.clippedRatioIps());
        estimates.put("logSmoothed", result.logSmoothed());
        result.doublyRobust().ifPresent(estimate -> estimates.put(DOUBLY_ROBUST, estimate));
        estimates.put(ON_POLICY_MEAN, result.onPolicyMean());
        return estimates;
    }

    private static Map<String, Object> intervals(
            Estimate estimate, boolean independent, @Nullable Interval betting) {
        Map<String, Object> intervals = new LinkedHashMap<>();
        intervals.put("normal", pair(estimate.normalInterval()));
        if (betting != null) {
            intervals.put("betting", pair(betting));
        }
        if (independent) {
            estimate.empiricalBernsteinInterval()
                    .ifPresent(interval -> intervals.put("empiricalBernstein", pair(interval)));
        }
        return intervals;
    }

    private static double[] pair(Interval interval) {
        return new double[] {interval.lower(), interval.upper()};
    }
}
