package io.counterflow.flink.windows;

import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.confidence.UpperConfidenceSequence;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.OnPolicyMean;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.event.ScoredExample.Audit;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import io.counterflow.flink.windows.WindowHarness.Timed;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A window computed from its examples by core alone, one after the other and without panes. */
final class DirectWindows {

    private DirectWindows() {}

    /** What a window's record should say, given the examples of all loops in order. */
    static IpsWindowRecord of(IpsWindowRecord emitted, List<Timed> all) {
        List<ScoredExample> own =
                all.stream()
                        .filter(timed -> within(timed, emitted))
                        .map(Timed::example)
                        .filter(example -> example.loop().equals(emitted.getLoop()))
                        .filter(example -> example.loggedBy() == emitted.getPolicyVersion())
                        .toList();
        IpsWindowRecord direct = new IpsWindowRecord();
        direct.setLoop(emitted.getLoop());
        direct.setPolicyVersion(emitted.getPolicyVersion());
        direct.setWindowStart(emitted.getWindowStart());
        direct.setWindowEnd(emitted.getWindowEnd());
        OnPolicyMean rewards = new OnPolicyMean();
        own.forEach(example -> rewards.add(1.0, example.propensity(), example.reward()));
        direct.setN(own.size());
        direct.setOnPolicyMean(rewards.value());
        direct.setOnPolicyStandardError(rewards.standardError());
        direct.setEstimates(estimates(own));
        direct.setActionCounts(new ArrayList<>());
        direct.setExpectedActionCounts(new ArrayList<>());
        for (int k = 0; k < 3; k++) {
            int action = k;
            direct.getActionCounts().add(count(own, example -> example.action() == action));
            double expected = 0.0;
            for (ScoredExample example : own) {
                expected += example.distribution().isEmpty() ? 0 : example.distribution().get(k);
            }
            direct.getExpectedActionCounts().add(expected);
        }
        if (own.stream().anyMatch(example -> example.distribution().isEmpty())) {
            direct.setExpectedActionCounts(List.of());
        }
        direct.setAudited(count(own, example -> example.audit() != Audit.NOT_DONE));
        direct.setAuditMismatches(count(own, example -> example.audit() == Audit.MISMATCH));
        return direct;
    }

    private static boolean within(Timed timed, IpsWindowRecord window) {
        long ms = timed.timeMicros() / 1_000;
        return window.getWindowStart().toEpochMilli() <= ms
                && ms < window.getWindowEnd().toEpochMilli();
    }

    private static long count(List<ScoredExample> examples, Predicate<ScoredExample> which) {
        return examples.stream().filter(which).count();
    }

    private static List<PolicyEstimateRecord> estimates(List<ScoredExample> own) {
        List<PolicyEstimateRecord> estimates = new ArrayList<>();
        for (Long version : latestFirst(own, ScoredExample::activeVersion)) {
            estimates.add(
                    estimate(
                            JudgedPolicyRecord.ACTIVE,
                            version,
                            own.stream().filter(e -> e.activeVersion() == version).toList(),
                            ScoredExample::activeProbability));
        }
        for (Long version : latestFirst(own, ScoredExample::candidateVersion)) {
            estimates.add(
                    estimate(
                            JudgedPolicyRecord.CANDIDATE,
                            version,
                            own.stream().filter(e -> version.equals(e.candidateVersion())).toList(),
                            ScoredExample::candidateProbability));
        }
        estimates.add(
                estimate(JudgedPolicyRecord.UNIFORM, null, own, ScoredExample::uniformProbability));
        return estimates;
    }

    private static List<Long> latestFirst(
            List<ScoredExample> own, Function<ScoredExample, @Nullable Long> of) {
        List<Long> versions = new ArrayList<>();
        for (int i = own.size() - 1; i >= 0; i--) {
            Long version = of.apply(own.get(i));
            if (version != null && !versions.contains(version)) {
                versions.add(version);
            }
        }
        return versions;
    }

    private static PolicyEstimateRecord estimate(
            JudgedPolicyRecord role,
            @Nullable Long version,
            List<ScoredExample> examples,
            ToDoubleFunction<ScoredExample> probability) {
        EstimateSettings settings = Judged.SETTINGS;
        PolicyEvaluation evaluation =
                new PolicyEvaluation(settings.propensityFloor(), settings.smoothing());
        double maxWeight = 3 / settings.explorationFloor();
        LowerConfidenceSequence below = new LowerConfidenceSequence();
        UpperConfidenceSequence above = new UpperConfidenceSequence();
        for (ScoredExample example : examples) {
            double target = probability.applyAsDouble(example);
            evaluation.add(target, example.propensity(), example.reward());
            below.add(target / example.propensity());
            above.add(target / example.propensity() / maxWeight);
        }
        EvaluationResult result = evaluation.result(settings.delta());
        return new PolicyEstimateRecord(
                role,
                version,
                (long) examples.size(),
                result.ips().value(),
                result.ips().standardError(),
                result.truncatedIps().value(),
                result.truncatedIps().standardError(),
                result.selfNormalized().value(),
                result.selfNormalized().standardError(),
                result.logSmoothed().value(),
                result.logSmoothed().standardError(),
                result.effectiveSampleSize(),
                result.clipRate(),
                result.meanWeight(),
                below.bound(settings.delta() / 2.0),
                maxWeight * above.bound(settings.delta() / 2.0),
                result.maxWeight());
    }
}
