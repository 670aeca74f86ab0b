package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DeltaSpending;
import io.counterflow.core.numeric.Require;
import java.util.Optional;

/**
 * The running comparisons of a gate. Each gets its share of δ when it starts: the j-th candidate
 * gets δ<sub>j</sub>, and the k-th watched version gets δ<sub>k</sub> of a separate δ.
 */
final class Comparisons {

    private final DeltaSpending spending;
    private long judgedSoFar;
    private long watchedSoFar;
    private Optional<PolicyComparison> judged;
    private Optional<PolicyComparison> watched;
    private Optional<PolicyComparison> canary;

    Comparisons(double delta, GateState state) {
        this.spending = new DeltaSpending(delta);
        this.judgedSoFar = state.judgedSoFar();
        this.watchedSoFar = state.watchedSoFar();
        this.judged = state.judged().map(PolicyComparison::restore);
        this.watched = state.watched().map(PolicyComparison::restore);
        this.canary = state.canary().map(PolicyComparison::restore);
    }

    /** The candidate, on events of the active version. */
    Optional<PolicyComparison> judged() {
        return judged;
    }

    /** The previous version, on events of the active version. */
    Optional<PolicyComparison> watched() {
        return watched;
    }

    /** The active version, on events of the canary. */
    Optional<PolicyComparison> canary() {
        return canary;
    }

    /** Adds an example of the active version. */
    void addOfActive(double candidateWeight, double previousWeight, double reward) {
        if (judged.isPresent()) {
            Require.nonnegativeTerm(candidateWeight, "candidateWeight");
        }
        if (watched.isPresent()) {
            Require.nonnegativeTerm(previousWeight, "previousWeight");
            watched.get().add(previousWeight, reward);
        }
        if (judged.isPresent()) {
            judged.get().add(candidateWeight, reward);
        }
    }

    /** Adds an example of the canary. */
    void addOfCanary(double activeWeight, double reward) {
        if (canary.isPresent()) {
            canary.get().add(Require.nonnegativeTerm(activeWeight, "activeWeight"), reward);
        }
    }

    void judge() {
        judgedSoFar++;
        judged = Optional.of(new PolicyComparison(spending.share(judgedSoFar)));
    }

    void watch() {
        watched = Optional.of(nextWatched());
    }

    void watchCanary() {
        canary = Optional.of(nextWatched());
    }

    private PolicyComparison nextWatched() {
        watchedSoFar++;
        return new PolicyComparison(spending.share(watchedSoFar));
    }

    /** Ends the comparison of the candidate. */
    void endCandidate() {
        judged = Optional.empty();
        canary = Optional.empty();
    }

    /** Ends all comparisons, because the logging version changes. */
    void endAll() {
        endCandidate();
        watched = Optional.empty();
    }

    long judgedSoFar() {
        return judgedSoFar;
    }

    long watchedSoFar() {
        return watchedSoFar;
    }
}
