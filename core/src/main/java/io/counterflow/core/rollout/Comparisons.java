package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DeltaSpending;
import io.counterflow.core.confidence.DifferenceConfidenceSequence;
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

    /** The candidate, compared with the active version. */
    Optional<PolicyComparison> candidate() {
        return candidate;
    }

    /** The previous version, compared with the active version. */
    Optional<PolicyComparison> watched() {
        return watched;
    }

    /** The active version, compared with the canary. */
    Optional<PolicyComparison> canary() {
        return canary;
    }

    /** The registered candidates by version, compared with the active version. */
    Map<Long, PolicyComparison> registered() {
        return registered;
    }

    List<Long> registeredVersions() {
        return List.copyOf(registered.keySet());
    }

    /** Adds an example that the active version logged, alone or together with another one. */
    void add(ComparedExample example) {
        if (example.maxActiveWeight() <= DifferenceConfidenceSequence.MAX_HOLDER_WEIGHT) {
            addOfActive(example);
        }
        if (canary.isPresent()
                && example.candidateShare() > 0.0
                && example.maxCandidateWeight() <= DifferenceConfidenceSequence.MAX_HOLDER_WEIGHT) {
            canary.get()
                    .add(
                            example,
                            example.active(),
                            example.candidateWeight(),
                            example.maxCandidateWeight());
        }
    }

    private void addOfActive(ComparedExample example) {
        double weight = example.activeWeight();
        double maxWeight = example.maxActiveWeight();
        if (watched.isPresent()) {
            watched.get().add(example, example.previous(), weight, maxWeight);
        }
        if (candidate.isPresent()) {
            candidate.get().add(example, example.candidate(), weight, maxWeight);
        }
        if (!registered.isEmpty()) { // an iterator would be allocated otherwise
            int i = 0;
            for (PolicyComparison comparison : registered.values()) {
                comparison.add(example, example.registered().get(i), weight, maxWeight);
                i++;
            }
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
        if (canary.isEmpty()) {
            canary = Optional.of(nextWatched());
        }
    }

    /** Starts the comparison of the candidate again, with a new share of δ. */
    void restartCandidate() {
        candidate = candidate.map(it -> it.count() == 0 ? it : nextCompared(it.sinceMs()));
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
