package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.StratifiedEstimate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON objects of evaluated policies.
 *
 * @param notExact number of propensities that are estimates or bounds
 * @param onePolicyLogged whether one policy logged all examples
 */
record EvaluationJson(LoadedLog log, long notExact, boolean onePolicyLogged) {

    /**
     * The object of one policy.
     *
     * @param whole whether it is the object of the whole command, not an element of a list
     */
    Map<String, @Nullable Object> of(PolicyResult policy, List<String> warnings, boolean whole) {
        FieldReport fields = new FieldReport().field("policy", policy.policy());
        if (whole) {
            fields.field("loop", log.loop());
        }
        fields.fields(EvaluationFields.of(policy.result(), onePolicyLogged, policy.betting()))
                .field("largestPossibleWeight", policy.largestWeight())
                .field("unsupportedShare", policy.unsupportedShare())
                .field("judgedOnLowerBound", policy.judgedOn());
        if (whole) {
            fields.field("skipped", log.skipped()).field("propensitiesEstimated", notExact > 0);
        }
        if (!onePolicyLogged) {
            fields.field("stratifiedIps", policy.stratified().value())
                    .field("stratifiedIpsStandardError", policy.stratified().standardError())
                    .field("loggingPolicies", strata(policy.stratified()));
        }
        return fields.field("warnings", warnings).toJson();
    }

    private static Object strata(StratifiedEstimate stratified) {
        return stratified.strata().stream()
                .map(
                        stratum ->
                                new FieldReport()
                                        .field("policyVersion", stratum.policyVersion())
                                        .field("n", stratum.count())
                                        .field("ips", stratum.mean())
                                        .field("weight", stratum.weight())
                                        .toJson())
                .toList();
    }
}
