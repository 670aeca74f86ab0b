package io.counterflow.cli.demo;

import io.counterflow.cli.traffic.RewardPlan;
import io.counterflow.cli.traffic.World;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds the true values of versions that decide. Most versions never do, and a value may take a
 * while: so models wait here until their version decides, as many as the rollout may still turn to.
 * Belongs to one thread.
 */
final class DecidedValues {

    /** Several times what the job can still promote. */
    static final int MAX_WAITING = 50;

    private final World world;
    private final DemoHistory history;
    private final TreeMap<Long, LinearModel> waiting = new TreeMap<>();

    DecidedValues(World world, DemoHistory history) {
        this.world = world;
        this.history = history;
    }

    /** A version was published. */
    void frozen(PolicySnapshot snapshot) {
        history.frozen(snapshot.version());
        waiting.put(snapshot.version(), snapshot.model());
        settle();
    }

    /** Something was said of versions: those that have decided by now get their value. */
    void settle() {
        for (long version : history.unvalued()) {
            LinearModel model = waiting.remove(version);
            if (model != null) {
                double value = world.valueOf(world.spec().policyOf(model));
                history.value(version, RewardPlan.COUNTED * value);
            }
        }
        Set<Long> named = new HashSet<>();
        history.latest().ifPresent(change -> addNamed(change, named));
        Iterator<Long> oldest = waiting.keySet().iterator();
        while (waiting.size() > MAX_WAITING && oldest.hasNext()) {
            if (!named.contains(oldest.next())) {
                oldest.remove();
            }
        }
    }

    private static void addNamed(RolloutRecord change, Set<Long> named) {
        Long candidate = change.getCandidateVersion();
        if (candidate != null) {
            named.add(candidate);
        }
        Long previous = change.getPreviousVersion();
        if (previous != null) {
            named.add(previous);
        }
    }
}
