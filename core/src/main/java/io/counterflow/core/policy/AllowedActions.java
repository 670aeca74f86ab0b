package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;
import java.util.Arrays;

/**
 * The actions of a request that may be chosen: all except the excluded ones. Immutable.
 *
 * <p>A set does not know the number of actions. {@link #requireWithin} checks that it fits a
 * request; the other methods assume so.
 */
public final class AllowedActions {

    public static final AllowedActions ALL = new AllowedActions(new int[0]);

    private final int[] excluded; // ascending, each once

    private AllowedActions(int[] excluded) {
        this.excluded = excluded;
    }

    /**
     * Every action except some.
     *
     * @param excludedActions positions of actions, from 0, in any order. Copied.
     */
    public static AllowedActions allBut(int... excludedActions) {
        if (excludedActions.length == 0) {
            return ALL;
        }
        int[] sorted = Arrays.stream(excludedActions).sorted().distinct().toArray();
        Require.that(sorted[0] >= 0, "excludedActions must be at least 0, got %s", sorted[0]);
        return new AllowedActions(sorted);
    }

    /** Whether nothing is excluded. */
    public boolean isAll() {
        return excluded.length == 0;
    }

    /** Positions of the excluded actions, ascending; a copy. */
    public int[] excluded() {
        return excluded.clone();
    }

    /** Size of the positions in memory, in bytes. */
    public long bytes() {
        return 4L * excluded.length;
    }

    /** Number of allowed actions out of {@code actions}. */
    public int count(int actions) {
        return actions - excluded.length;
    }

    /** The first action that may be chosen. */
    public int first() {
        int first = 0;
        while (first < excluded.length && excluded[first] == first) {
            first++;
        }
        return first;
    }

    /** Whether an action may be chosen. */
    public boolean contains(int action) {
        return excluded.length == 0 || Arrays.binarySearch(excluded, action) < 0;
    }

    /**
     * Refuses a number of actions for which an excluded position does not exist or no action is
     * allowed.
     */
    public void requireWithin(int actions) {
        if (excluded.length == 0) {
            return;
        }
        if (excluded[excluded.length - 1] >= actions) {
            throw new IllegalArgumentException(
                    "excludedActions must be below %d, the number of actions, got %d"
                            .formatted(actions, excluded[excluded.length - 1]));
        }
        if (excluded.length == actions) {
            throw new IllegalArgumentException(
                    "excludedActions must leave at least 1 action, got all " + actions);
        }
    }

    /** Moves the entries of the allowed actions to the start of the array, in order. */
    public void gather(double[] values, int actions) {
        if (excluded.length == 0) {
            return;
        }
        int next = 0; // in excluded
        int kept = 0;
        for (int action = 0; action < actions; action++) {
            if (next < excluded.length && excluded[next] == action) {
                next++;
            } else {
                values[kept++] = values[action];
            }
        }
    }

    /** Reverses {@link #gather}; entries of excluded actions become zero. */
    public void scatter(double[] values, int actions) {
        if (excluded.length == 0) {
            return;
        }
        int next = excluded.length - 1;
        int kept = count(actions);
        for (int action = actions - 1; action >= 0; action--) {
            if (next >= 0 && excluded[next] == action) {
                next--;
                values[action] = 0.0;
            } else {
                values[action] = values[--kept];
            }
        }
    }

    /** The position at which {@link #gather} puts the entry of an allowed action. */
    public int positionOf(int action) {
        int before = Arrays.binarySearch(excluded, action);
        return action - (-before - 1);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AllowedActions that && Arrays.equals(excluded, that.excluded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(excluded);
    }

    @Override
    public String toString() {
        return excluded.length == 0 ? "all actions" : "all but " + Arrays.toString(excluded);
    }
}
