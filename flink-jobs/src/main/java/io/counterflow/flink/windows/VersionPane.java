package io.counterflow.flink.windows;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.estimate.OnPolicyMean;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.event.ScoredExample.Audit;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Sums of the examples of one policy version in a span of time.
 *
 * <p>Rewards are those of the decisions that it drew. Estimates, actions and audits are about the
 * decisions that it logged: if it shared the events with a candidate, those of both, because their
 * propensities are probabilities under both together. Of decisions in the holdout there are only
 * rewards and audits. While the loop is an apprentice, the version decides nothing: rewards are
 * those of the actions that the caller would show, and what they say about the version is kept
 * apart. Estimates cover the examples since the last change of the settings: when τ or the
 * smoothing changes, they start again.
 */
final class VersionPane {

    /** Stands for the uniform policy, which has no version. */
    static final long NO_VERSION = Long.MIN_VALUE;

    private static final int OWN_BYTES = 400;

    private final OnPolicyMean rewards;
    private final ActionCounts actions;
    private final RecentTargets active = new RecentTargets();
    private final RecentTargets candidates = new RecentTargets();
    private final RecentTargets uniform = new RecentTargets();
    private final RecentTargets apprentices = new RecentTargets();
    private EstimateSettings settings;
    private long audited;
    private long auditMismatches;

    VersionPane(EstimateSettings settings) {
        this(settings, new OnPolicyMean(), new ActionCounts(), 0, 0);
    }

    /** A pane restored from state; its targets are added one by one. */
    VersionPane(
            EstimateSettings settings,
            OnPolicyMean rewards,
            ActionCounts actions,
            long audited,
            long auditMismatches) {
        this.settings = settings;
        this.rewards = rewards;
        this.actions = actions;
        this.audited = audited;
        this.auditMismatches = auditMismatches;
    }

    /** Adds the reward of a decision that this version drew. */
    void addDecided(ScoredExample example) {
        rewards.add(example.activeProbability(), example.propensity(), example.reward());
    }

    /**
     * Adds an example that this version logged. Allocates only for the first example of a scored
     * version.
     */
    void addLogged(ScoredExample example) {
        adopt(example.settings());
        double propensity = example.propensity();
        double reward = example.reward();
        double maxWeight =
                MeanWeightBounds.maxWeight(example.actions(), settings.explorationFloor());
        active.judged(example.activeVersion(), settings)
                .add(example.activeProbability(), propensity, reward, maxWeight);
        Long candidate = example.candidateVersion();
        if (candidate != null) {
            candidates
                    .judged(candidate, settings)
                    .add(example.candidateProbability(), propensity, reward, maxWeight);
        }
        uniform.judged(NO_VERSION, settings)
                .add(example.uniformProbability(), propensity, reward, maxWeight);
        actions.add(example.action(), example.actions(), example.distribution());
    }

    /** Adds an example whose action was shown for certain. */
    void addShown(ScoredExample example) {
        adopt(example.settings());
        apprentices
                .judged(example.activeVersion(), settings)
                .add(
                        example.activeProbability(),
                        example.propensity(),
                        example.reward(),
                        MeanWeightBounds.maxWeight(example.actions(), settings.explorationFloor()));
        actions.add(example.action(), example.actions(), example.distribution());
    }

    /** Adds the audit of an example that this version logged. */
    void addAudit(Audit audit) {
        if (audit != Audit.NOT_DONE) {
            audited++;
        }
        if (audit == Audit.MISMATCH) {
            auditMismatches++;
        }
    }

    private void adopt(EstimateSettings newest) {
        if (newest.propensityFloor() != settings.propensityFloor()
                || newest.smoothing() != settings.smoothing()) {
            active.clear();
            candidates.clear();
            uniform.clear();
            apprentices.clear();
        }
        settings = newest;
    }

    /** Adds a later pane of the same version. */
    void merge(VersionPane later) {
        adopt(later.settings);
        active.merge(later.active, settings);
        candidates.merge(later.candidates, settings);
        uniform.merge(later.uniform, settings);
        apprentices.merge(later.apprentices, settings);
        rewards.merge(later.rewards);
        actions.merge(later.actions);
        audited += later.audited;
        auditMismatches += later.auditMismatches;
    }

    EstimateSettings settings() {
        return settings;
    }

    OnPolicyMean rewards() {
        return rewards;
    }

    ActionCounts actions() {
        return actions;
    }

    long audited() {
        return audited;
    }

    long auditMismatches() {
        return auditMismatches;
    }

    /** The scored policies by role: active, candidate, uniform and apprentice. */
    Map<JudgedPolicyRecord, RecentTargets> targets() {
        Map<JudgedPolicyRecord, RecentTargets> byRole = new EnumMap<>(JudgedPolicyRecord.class);
        byRole.put(JudgedPolicyRecord.ACTIVE, active);
        byRole.put(JudgedPolicyRecord.CANDIDATE, candidates);
        byRole.put(JudgedPolicyRecord.UNIFORM, uniform);
        byRole.put(JudgedPolicyRecord.APPRENTICE, apprentices);
        return byRole;
    }

    RecentTargets targets(JudgedPolicyRecord role) {
        return Objects.requireNonNull(targets().get(role), "no policy is judged as " + role);
    }

    /** Approximate heap, in bytes. */
    long bytes() {
        int targets = active.size() + candidates.size() + uniform.size() + apprentices.size();
        return OWN_BYTES + (long) Target.BYTES * targets + actions.bytes();
    }
}
