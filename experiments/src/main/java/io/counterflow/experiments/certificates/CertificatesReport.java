package io.counterflow.experiments.certificates;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.bound.ValueBound;
import java.util.List;
import java.util.Map;

/**
 * Certificates with their parts.
 *
 * @param delta each bound holds with probability at least 1 − δ
 * @param learnedFrom bounds from the log that a policy was learned from
 * @param judgedOn bounds on a policy that was frozen before the examples
 */
record CertificatesReport(double delta, List<LearnedFrom> learnedFrom, JudgedOn judgedOn)
        implements Report {

    /**
     * @param n number of examples of the bound
     * @param reward stochastic reward on test data: the value, up to its error of about 0.004
     * @param ips estimate on the log
     */
    record LearnedFrom(String policy, int n, double reward, double ips, ServedBound bound) {}

    /**
     * @param reward stochastic reward on test data
     */
    record JudgedOn(double reward, List<Judgement> judgements) {}

    /**
     * @param n examples so far
     */
    record Judgement(int n, double bound) {}

    @Override
    public String toText() {
        Table learned =
                Table.withColumns(
                        "policy",
                        "n",
                        "test reward",
                        "IPS",
                        "handicap",
                        "smoothed",
                        "KL cost",
                        "value at least",
                        "lambda",
                        "variance",
                        "prior variance",
                        "KL");
        for (LearnedFrom it : learnedFrom) {
            ValueBound bound = it.bound().bound();
            learned.row(
                    it.policy(),
                    Figures.count(it.n()),
                    it.reward(),
                    it.ips(),
                    it.bound().handicapped(),
                    bound.beforeDivergence(),
                    bound.beforeConfidence(),
                    it.bound().value(),
                    bound.smoothing(),
                    it.bound().variance(),
                    it.bound().priorVariance(),
                    bound.divergence());
        }
        Table judged = Table.withColumns("judged on", "value at least", "of the test reward");
        for (Judgement it : judgedOn.judgements()) {
            judged.row(Figures.count(it.n()), it.bound(), it.bound() / judgedOn.reward());
        }
        return "bounds with probability %s%n%n%s%nIPS-LPR, frozen before the examples that it is judged on, test reward %s%n%n%s"
                .formatted(
                        Figures.setting(1.0 - delta),
                        learned,
                        Figures.of(judgedOn.reward()),
                        judged);
    }

    @Override
    public Object toJson() {
        return Map.of(
                "delta",
                delta,
                "learnedFrom",
                learnedFrom.stream()
                        .map(
                                it ->
                                        Map.of(
                                                "policy", it.policy(),
                                                "n", it.n(),
                                                "valueLowerBound", it.bound().value(),
                                                "testReward", it.reward(),
                                                "ips", it.ips()))
                        .toList(),
                "judgedOn",
                judgedOn.judgements().stream()
                        .map(
                                it ->
                                        Map.of(
                                                "n", it.n(),
                                                "valueLowerBound", it.bound(),
                                                "testReward", judgedOn.reward()))
                        .toList());
    }
}
