package io.counterflow.flink.windows;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The policies of one role that were judged on some examples: each version apart, because an
 * estimate of two policies is one of neither. The {@value #KEPT} that were judged last are kept; an
 * earlier one that comes back begins anew.
 */
final class RecentTargets {

    /** Most versions of a role. */
    static final int KEPT = 4;

    private final List<Target> targets = new ArrayList<>(1); // the one judged last is last

    /** The target of a version, which from now on is the one judged last. */
    Target judged(long version, EstimateSettings settings) {
        int last = targets.size() - 1;
        for (int i = last; i >= 0; i--) {
            if (targets.get(i).version() == version) {
                if (i < last) {
                    targets.add(targets.remove(i));
                }
                return targets.get(last);
            }
        }
        Target fresh =
                new Target(
                        version,
                        new PolicyEvaluation(settings.propensityFloor(), settings.smoothing()),
                        new MeanWeightBounds());
        restore(fresh);
        return fresh;
    }

    /** Adds a stored target as the one judged last. */
    void restore(Target target) {
        targets.add(target);
        if (targets.size() > KEPT) {
            targets.remove(0);
        }
    }

    void merge(RecentTargets later, EstimateSettings settings) {
        for (Target target : later.targets) {
            judged(target.version(), settings).merge(target);
        }
    }

    void clear() {
        targets.clear();
    }

    int size() {
        return targets.size();
    }

    /** In the order in which they were judged, the last one last. */
    List<Target> inOrder() {
        return List.copyOf(targets);
    }
}
