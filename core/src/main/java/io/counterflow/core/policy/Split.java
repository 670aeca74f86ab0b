package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;

/**
 * The two versions that share the events while one of them is compared with the other. Which of
 * them decides an event is drawn first, and then the action, so that its probability is
 *
 * <pre>μ(a|x) = (1 − s) π<sub>active</sub>(a|x) + s π<sub>candidate</sub>(a|x).</pre>
 *
 * <p>This is the propensity of every such decision, whichever version decided it. The importance
 * weights of both versions are then at most 1/(1 − s) and 1/s, also for greedy policies.
 *
 * @param share s, the share of the candidate, in (0, 1)
 */
public record Split(long activeVersion, long candidateVersion, double share) {

    public Split {
        Require.that(
                share > 0.0 && share < 1.0,
                "the share of a split must be in (0, 1), got %s",
                share);
        Require.that(
                activeVersion != candidateVersion,
                "the versions of a split must differ, got %s twice",
                activeVersion);
    }

    /** Whether a version is one of the two. */
    public boolean includes(long version) {
        return version == activeVersion || version == candidateVersion;
    }

    /** μ(a|x), from the probabilities under both versions. */
    public double propensity(double active, double candidate) {
        return (1.0 - share) * active + share * candidate;
    }
}
