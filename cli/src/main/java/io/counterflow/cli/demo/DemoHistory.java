package io.counterflow.cli.demo;

import io.counterflow.cli.traffic.RewardPlan;
import io.counterflow.cli.traffic.World;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.serving.stats.TrueValues;
import io.counterflow.serving.stats.Truth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The history of the demo's loop since its first start, as read from the topics. Safe for use by
 * several threads.
 *
 * <p>True values are computed only for versions that have decided, because most versions never do
 * and a true value may take some time.
 */
final class DemoHistory implements Truth {

    /** The models to keep of versions that may still decide. */
    static final int MAX_WAITING = 50;

    /** The period of the recent mean reward. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    private static final int MAX_WINDOWS = 240;

    /**
     * A version that decided.
     *
     * @param examples its joined examples, in complete windows
     * @param meanReward their mean reward; null if there are none
     * @param lowerBound the lower bound on its value when it was promoted, estimated from examples
     *     of the version before it; null for the starting policy
     * @param trueValue its true value; null if not known yet
     */
    record Generation(
            long version,
            long examples,
            @Nullable Double meanReward,
            @Nullable Double lowerBound,
            @Nullable Double trueValue) {}

    /**
     * What the loop has learned, over all starts.
     *
     * @param generations versions that decided, in order; never empty
     * @param candidate the version under evaluation; null if there is none
     * @param lastChange the reason of the last rollout
     * @param uniform true value of the uniform policy
     * @param best true value of the best possible policy
     * @param recent mean reward of all decisions of the last minute; null before there is one
     * @param overTime mean rewards of all decisions by window, the newest last
     */
    record Learning(
            List<Generation> generations,
            long newestVersion,
            @Nullable Long candidate,
            long snapshots,
            String lastChange,
            double uniform,
            double best,
            @Nullable Double recent,
            List<Double> overTime) {

        Generation first() {
            return generations.get(0);
        }

        Generation active() {
            return generations.get(generations.size() - 1);
        }
    }

    private static final class Tally {
        private long examples;
        private double rewards;

        void add(IpsWindowRecord window) {
            if (window.getN() == 0) {
                return; // the version logged events, but a candidate decided all of them
            }
            examples += window.getN();
            rewards += window.getN() * window.getOnPolicyMean();
        }

        void add(Tally other) {
            examples += other.examples;
            rewards += other.rewards;
        }

        @Nullable Double meanReward() {
            return examples == 0 ? null : (Double) (rewards / examples);
        }
    }

    private record Promotion(long version, @Nullable Double lowerBound) {}

    private final World world;
    private final double best;
    private final double uniform;
    private final TreeMap<Long, Promotion> promotions = new TreeMap<>(); // by sequence
    private final Map<Long, Tally> tallies = new HashMap<>(); // by version
    private final Map<Long, Double> trueValues = new HashMap<>(); // by version
    private final TreeMap<Long, VersionParameters> waiting = new TreeMap<>(); // by version
    private final TreeMap<Instant, Tally> windows = new TreeMap<>(); // by end, over all versions
    private @Nullable RolloutRecord latest;
    private long newestVersion;
    private long snapshots;

    DemoHistory(World world) {
        this.world = world;
        this.best = RewardPlan.COUNTED * world.best();
        this.uniform = RewardPlan.COUNTED * world.uniform();
        this.newestVersion = world.spec().startingVersion();
        promotions.put(0L, new Promotion(newestVersion, null));
        trueValues.put(newestVersion, trueValue(world.spec().startingParameters()));
    }

    /** Late and missing rewards do not count, so the loop sees only a share of a policy's value. */
    private double trueValue(VersionParameters version) {
        return RewardPlan.COUNTED * world.valueOf(world.spec().policyOf(version));
    }

    synchronized void add(PolicySnapshot snapshot) {
        newestVersion = Math.max(newestVersion, snapshot.version());
        snapshots++;
        waiting.put(snapshot.version(), snapshot.parameters());
    }

    synchronized void add(RolloutRecord change) {
        latest = change;
        boolean promoted = change.getKind() == RolloutKindRecord.PROMOTED;
        if (promoted || change.getKind() == RolloutKindRecord.ROLLED_BACK) {
            promotions.put(
                    change.getSequence(),
                    new Promotion(
                            change.getActiveVersion(),
                            promoted ? change.getCandidateLowerBound() : null));
        }
    }

    synchronized void add(IpsWindowRecord window) {
        tallies.computeIfAbsent(window.getPolicyVersion(), version -> new Tally()).add(window);
        windows.computeIfAbsent(window.getWindowEnd(), end -> new Tally()).add(window);
        if (windows.size() > MAX_WINDOWS) {
            windows.pollFirstEntry();
        }
    }

    /** Computes the missing true values. Called by the thread that adds records. */
    void updateTrueValues() {
        decided()
                .forEach(
                        (version, model) -> {
                            double value = trueValue(model);
                            synchronized (this) {
                                trueValues.put(version, value);
                                waiting.remove(version);
                            }
                        });
        dropOldest();
    }

    private synchronized Map<Long, VersionParameters> decided() {
        Map<Long, VersionParameters> decided = new HashMap<>(waiting);
        Set<Long> versions = new HashSet<>(tallies.keySet());
        promotions.values().forEach(it -> versions.add(it.version()));
        decided.keySet().retainAll(versions);
        return decided;
    }

    private synchronized void dropOldest() {
        Long candidate = candidate();
        waiting.keySet().stream()
                .limit(Math.max(0, waiting.size() - MAX_WAITING))
                .filter(version -> !version.equals(candidate))
                .toList()
                .forEach(waiting::remove);
    }

    private @Nullable Long candidate() {
        return latest == null ? null : latest.getCandidateVersion();
    }

    synchronized Learning learning() {
        return new Learning(
                promotions.values().stream().map(this::generation).toList(),
                newestVersion,
                candidate(),
                snapshots,
                latest == null ? "" : latest.getReason(),
                uniform,
                best,
                recentReward(),
                overTime());
    }

    private Generation generation(Promotion promotion) {
        Tally tally = tallies.getOrDefault(promotion.version(), new Tally());
        return new Generation(
                promotion.version(),
                tally.examples,
                tally.meanReward(),
                promotion.lowerBound(),
                trueValues.get(promotion.version()));
    }

    private @Nullable Double recentReward() {
        Tally recent = new Tally();
        if (!windows.isEmpty()) {
            windows.tailMap(windows.lastKey().minus(RECENT), false).values().forEach(recent::add);
        }
        return recent.meanReward();
    }

    private List<Double> overTime() {
        List<Double> means = new ArrayList<>();
        for (Tally window : windows.values()) {
            Double mean = window.meanReward();
            if (mean != null) {
                means.add(mean);
            }
        }
        return means;
    }

    @Override
    public synchronized Optional<TrueValues> of(String loop) {
        return loop.equals(world.loop())
                ? Optional.of(new TrueValues(best, uniform, trueValues))
                : Optional.empty();
    }
}
