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
 * What the examples that one policy version logged in some stretch of time add up to.
 *
 * <p>Rewards, actions and audits are of all of them. Estimates are of those with the settings that
 * came last: when τ or the smoothing changes they begin anew, as no estimate is of two settings.
 */
final class VersionPane {

    /** The version of a policy that has none. */
    static final long NO_VERSION = Long.MIN_VALUE;

    private static final int OWN_BYTES = 400;

    private final OnPolicyMean rewards;
    private final ActionCounts actions;
    private final RecentTargets active = new RecentTargets();
    private final RecentTargets candidates = new RecentTargets();
    private final RecentTargets uniform = new RecentTargets();
    private EstimateSettings settings;
    private long audited;
    private long auditMismatches;

    VersionPane(EstimateSettings settings) {
        this(settings, new OnPolicyMean(), new ActionCounts(), 0, 0);
    }

    /** One that goes on where a stored one stopped; its targets are restored to it one by one. */
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

    /** Takes one example. Allocates nothing, but for the first of a judged version. */
    void add(ScoredExample example) {
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
        rewards.add(example.activeProbability(), propensity, reward);
        actions.add(example.action(), example.actions(), example.distribution());
        if (example.audit() != Audit.NOT_DONE) {
            audited++;
        }
        if (example.audit() == Audit.MISMATCH) {
            auditMismatches++;
        }
    }

    private void adopt(EstimateSettings newest) {
        if (newest.propensityFloor() != settings.propensityFloor()
                || newest.smoothing() != settings.smoothing()) {
            active.clear();
            candidates.clear();
            uniform.clear();
        }
        settings = newest;
    }

    /** Takes all that the same version logged in a later stretch. */
    void merge(VersionPane later) {
        adopt(later.settings);
        active.merge(later.active, settings);
        candidates.merge(later.candidates, settings);
        uniform.merge(later.uniform, settings);
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

    /** The policies that are judged, by role: the active one, the candidate, the uniform one. */
    Map<JudgedPolicyRecord, RecentTargets> targets() {
        Map<JudgedPolicyRecord, RecentTargets> byRole = new EnumMap<>(JudgedPolicyRecord.class);
        byRole.put(JudgedPolicyRecord.ACTIVE, active);
        byRole.put(JudgedPolicyRecord.CANDIDATE, candidates);
        byRole.put(JudgedPolicyRecord.UNIFORM, uniform);
        return byRole;
    }

    /** The policies of a role. */
    RecentTargets targets(JudgedPolicyRecord role) {
        return Objects.requireNonNull(targets().get(role), "no policy is judged as " + role);
    }

    /** Heap that it takes, about. */
    long bytes() {
        int targets = active.size() + candidates.size() + uniform.size();
        return OWN_BYTES + (long) Target.BYTES * targets + actions.bytes();
    }
}
