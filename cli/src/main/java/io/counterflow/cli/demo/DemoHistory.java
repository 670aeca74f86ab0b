package io.counterflow.cli.demo;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.serving.stats.TrueValues;
import io.counterflow.serving.stats.Truth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the topics have said about the demo's loop, from its first start on. Thread safe. */
final class DemoHistory implements Truth {

    /** How far back the reward of a version that decides now is averaged. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    /** Fewer examples say little about a mean reward. */
    private static final long ENOUGH = 200;

    private static final int SHOWN_WINDOWS = 240;

    /** What a version logged. */
    private static final class Tally {
        private long examples;
        private double rewards;
        private final Deque<Window> windows = new ArrayDeque<>();
    }

    private record Window(Instant end, long examples, double rewards) {}

    private final String loop;
    private final double best;
    private final double uniform;
    private final long firstVersion;
    private final Map<Long, Double> trueValues = new HashMap<>(); // of versions that decided
    private final Map<Long, Tally> tallies = new HashMap<>();
    private final TreeMap<Long, OptionalDouble> generations = new TreeMap<>(); // by sequence
    private final Map<Long, Long> versionOf = new HashMap<>(); // of a sequence
    private final Deque<Double> rewardOverTime = new ArrayDeque<>();
    private @Nullable RolloutRecord latest;
    private long newestVersion;
    private long snapshots;

    DemoHistory(String loop, double best, double uniform, long firstVersion, double firstValue) {
        this.loop = loop;
        this.best = best;
        this.uniform = uniform;
        this.firstVersion = firstVersion;
        this.newestVersion = firstVersion;
        trueValues.put(firstVersion, firstValue);
        generations.put(0L, OptionalDouble.empty());
        versionOf.put(0L, firstVersion);
    }

    synchronized void frozen(long version) {
        newestVersion = Math.max(newestVersion, version);
        snapshots++;
    }

    /** Versions that have decided something, and whose true value nobody has said yet. */
    synchronized Set<Long> unvalued() {
        Set<Long> decided = new HashSet<>(versionOf.values());
        decided.addAll(tallies.keySet());
        decided.removeAll(trueValues.keySet());
        return decided;
    }

    synchronized void value(long version, double trueValue) {
        trueValues.put(version, trueValue);
    }

    synchronized void rollout(RolloutRecord change) {
        latest = change;
        boolean decides =
                change.getKind() == RolloutKindRecord.PROMOTED
                        || change.getKind() == RolloutKindRecord.ROLLED_BACK;
        if (decides) {
            Double bound = change.getCandidateLowerBound();
            boolean judged = change.getKind() == RolloutKindRecord.PROMOTED && bound != null;
            generations.put(
                    change.getSequence(),
                    judged && bound != null ? OptionalDouble.of(bound) : OptionalDouble.empty());
            versionOf.put(change.getSequence(), change.getActiveVersion());
        }
    }

    synchronized void window(IpsWindowRecord window) {
        Tally tally = tallies.computeIfAbsent(window.getPolicyVersion(), version -> new Tally());
        double rewards = window.getN() * window.getOnPolicyMean();
        tally.examples += window.getN();
        tally.rewards += rewards;
        tally.windows.addLast(new Window(window.getWindowEnd(), window.getN(), rewards));
        if (tally.windows.size() > SHOWN_WINDOWS) {
            tally.windows.removeFirst();
        }
        rewardOverTime.addLast(window.getOnPolicyMean());
        if (rewardOverTime.size() > SHOWN_WINDOWS) {
            rewardOverTime.removeFirst();
        }
    }

    /** All versions that have decided, in their order. */
    synchronized List<Generation> generations() {
        List<Generation> all = new ArrayList<>();
        generations.forEach(
                (sequence, bound) -> {
                    long version = versionOf.getOrDefault(sequence, firstVersion);
                    Tally tally = tallies.get(version);
                    all.add(
                            new Generation(
                                    version,
                                    tally == null ? 0 : tally.examples,
                                    tally == null || tally.examples == 0
                                            ? Double.NaN
                                            : tally.rewards / tally.examples,
                                    bound,
                                    trueValue(version)));
                });
        return all;
    }

    private OptionalDouble trueValue(long version) {
        Double value = trueValues.get(version);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /**
     * Mean reward, over the last minute that it decided, of the newest version with enough
     * examples; NaN before there is one.
     */
    synchronized double recentReward() {
        List<Generation> all = generations();
        for (int i = all.size() - 1; i >= 0; i--) {
            Tally tally = tallies.get(all.get(i).version());
            if (tally != null && (tally.examples >= ENOUGH || i == 0) && tally.examples > 0) {
                return recent(tally);
            }
        }
        return Double.NaN;
    }

    private static double recent(Tally tally) {
        Instant from = tally.windows.getLast().end().minus(RECENT);
        long examples = 0;
        double rewards = 0.0;
        for (Window window : tally.windows) {
            if (window.end().isAfter(from)) {
                examples += window.examples();
                rewards += window.rewards();
            }
        }
        return rewards / examples;
    }

    /** Mean rewards of the newest windows, the newest last. */
    synchronized List<Double> rewardOverTime() {
        return List.copyOf(rewardOverTime);
    }

    /** The last that happened. */
    synchronized Optional<RolloutRecord> latest() {
        return Optional.ofNullable(latest);
    }

    /** Number of the newest version. */
    synchronized long newestVersion() {
        return newestVersion;
    }

    /** Snapshots that have been published, over all starts. */
    synchronized long snapshots() {
        return snapshots;
    }

    double best() {
        return best;
    }

    double uniform() {
        return uniform;
    }

    @Override
    public synchronized Optional<TrueValues> of(String name) {
        return name.equals(loop)
                ? Optional.of(new TrueValues(best, uniform, trueValues))
                : Optional.empty();
    }
}
