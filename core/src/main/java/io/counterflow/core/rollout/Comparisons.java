package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DeltaSpending;
import io.counterflow.core.numeric.Require;
import java.util.Optional;

/**
 * The comparisons that a gate has under way. Each gets its share of δ when it begins: the j-th
 * candidate δ<sub>j</sub>, and the k-th version that is watched δ<sub>k</sub> of a δ of its own.
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

    /** The candidate, on what the active version logs. */
    Optional<PolicyComparison> judged() {
        return judged;
    }

    /** The version before, on what the active one logs. */
    Optional<PolicyComparison> watched() {
        return watched;
    }

    /** The active version, on what the canary logs. */
    Optional<PolicyComparison> canary() {
        return canary;
    }

    /** Takes what the active version logged, whole or not at all. */
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

    /** Takes what the canary logged. */
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

    /** The candidate is gone. */
    void endCandidate() {
        judged = Optional.empty();
        canary = Optional.empty();
    }

    /** Another version logs: nothing that was compared goes on. */
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
