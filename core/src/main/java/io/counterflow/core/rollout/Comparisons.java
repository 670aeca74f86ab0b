package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DeltaSpending;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The running comparisons of a gate. Each gets its share of δ when it starts or starts again: the
 * j-th comparison of a candidate gets δ<sub>j</sub>, and the k-th one that watches an active
 * version gets δ<sub>k</sub> of a separate δ.
 */
final class Comparisons {

    private final DeltaSpending spending;
    private long comparedSoFar;
    private long watchedSoFar;
    private Optional<PolicyComparison> candidate;
    private Optional<PolicyComparison> watched;
    private Optional<PolicyComparison> canary;
    private final TreeMap<Long, PolicyComparison> registered = new TreeMap<>();

    Comparisons(double delta, GateState state) {
        this.spending = new DeltaSpending(delta);
        this.comparedSoFar = state.comparedSoFar();
        this.watchedSoFar = state.watchedSoFar();
        this.candidate = state.candidate().map(PolicyComparison::restore);
        this.watched = state.watched().map(PolicyComparison::restore);
        this.canary = state.canary().map(PolicyComparison::restore);
        for (int i = 0; i < state.registered().size(); i++) {
            registered.put(
                    state.rollout().registeredVersions().get(i),
                    PolicyComparison.restore(state.registered().get(i)));
        }
    }

    /** The candidate, on events of the active version. */
    Optional<PolicyComparison> candidate() {
        return candidate;
    }

    /** The previous version, on events of the active version. */
    Optional<PolicyComparison> watched() {
        return watched;
    }

    /** The active version, on events of the canary. */
    Optional<PolicyComparison> canary() {
        return canary;
    }

    /** The registered candidates by version, on events of the active version. */
    Map<Long, PolicyComparison> registered() {
        return registered;
    }

    List<Long> registeredVersions() {
        return List.copyOf(registered.keySet());
    }

    /** Adds an example that the active version logged, or a mixture with the candidate. */
    void addOfActive(ComparedExample example) {
        if (watched.isPresent()) {
            watched.get().add(example, example.previous());
        }
        if (candidate.isPresent()) {
            candidate.get().add(example, example.candidate());
        }
        if (!registered.isEmpty()) { // an iterator would be allocated otherwise
            int i = 0;
            for (PolicyComparison comparison : registered.values()) {
                comparison.add(example, example.registered().get(i));
                i++;
            }
        }
    }

    /** Adds an example that the canary logged. */
    void addOfCanary(ComparedExample example) {
        if (canary.isPresent()) {
            canary.get().add(example, example.active());
        }
    }

    /** Whether one of the comparisons shows that propensities are wrong. */
    boolean showWrongPropensities() {
        return showsWrongPropensities(candidate)
                || showsWrongPropensities(watched)
                || showsWrongPropensities(canary)
                || (!registered.isEmpty()
                        && registered.values().stream()
                                .anyMatch(PolicyComparison::showsWrongPropensities));
    }

    private static boolean showsWrongPropensities(Optional<PolicyComparison> comparison) {
        return comparison.isPresent() && comparison.get().showsWrongPropensities();
    }

    /** Starts all comparisons again that have examples, each with a new share of δ. */
    void restart() {
        candidate = candidate.map(it -> it.count() == 0 ? it : nextCompared(it.sinceMs()));
        watched = watched.map(it -> it.count() == 0 ? it : nextWatched());
        canary = canary.map(it -> it.count() == 0 ? it : nextWatched());
        registered.replaceAll((version, it) -> it.count() == 0 ? it : nextCompared(it.sinceMs()));
    }

    /** Reports the values of all versions from now on only; differences continue. */
    void restartValues() {
        candidate = candidate.map(PolicyComparison::withNewValues);
        watched = watched.map(PolicyComparison::withNewValues);
        canary = canary.map(PolicyComparison::withNewValues);
        registered.replaceAll((version, it) -> it.withNewValues());
    }

    /** Starts the comparison of a candidate, or continues that of a registered one. */
    void compare(long version, long sinceMs) {
        PolicyComparison running = registered.remove(version);
        candidate = Optional.of(running == null ? nextCompared(sinceMs) : running);
    }

    /** Whether the candidate may have been learned from decisions whose examples come later. */
    boolean candidateWasRegistered() {
        return candidate.isPresent() && candidate.get().sinceMs() > 0;
    }

    /** Continues the comparison of the candidate as that of a registered one. */
    void registerCandidate(long version) {
        registered.put(version, candidate.orElseThrow());
    }

    void register(long version, long sinceMs) {
        registered.put(version, nextCompared(sinceMs));
    }

    void withdraw(long version) {
        registered.remove(version);
    }

    void watch() {
        watched = Optional.of(nextWatched());
    }

    void watchCanary() {
        canary = Optional.of(nextWatched());
    }

    private PolicyComparison nextCompared(long sinceMs) {
        comparedSoFar++;
        return new PolicyComparison(spending.share(comparedSoFar), sinceMs);
    }

    private PolicyComparison nextWatched() {
        watchedSoFar++;
        return new PolicyComparison(spending.share(watchedSoFar), 0);
    }

    /** Ends the comparison of the candidate. */
    void endCandidate() {
        candidate = Optional.empty();
        canary = Optional.empty();
    }

    /**
     * Ends all comparisons, because the logging version changes. Registered candidates are compared
     * with the new active version.
     */
    void endAll(long nextActive) {
        endCandidate();
        watched = Optional.empty();
        registered.remove(nextActive);
        restart();
    }

    long comparedSoFar() {
        return comparedSoFar;
    }

    long watchedSoFar() {
        return watchedSoFar;
    }
}
