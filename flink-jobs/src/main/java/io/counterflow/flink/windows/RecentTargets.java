package io.counterflow.flink.windows;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The policies of one role that were scored on some examples. Each version has its own estimates.
 * The {@value #KEPT} versions that were scored last are kept; a version that was dropped starts
 * again.
 */
final class RecentTargets {

    /** Maximum number of versions of a role. */
    static final int KEPT = 4;

    private final List<Target> targets = new ArrayList<>(1); // the one scored last is last

    /** Returns the target of a version and makes it the last one. */
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

    /** Adds a stored target as the last one. */
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

    /** In the order in which they were scored, the latest last. */
    List<Target> inOrder() {
        return List.copyOf(targets);
    }
}
