package io.counterflow.core.policy;

/** Which actions of a request may be chosen. At least one may. Immutable. */
public final class AllowedActions {

    private final boolean[] excluded;
    private final int count;

    private AllowedActions(boolean[] excluded) {
        int allowed = 0;
        for (boolean out : excluded) {
            allowed += out ? 0 : 1;
        }
        if (allowed == 0) {
            throw new IllegalArgumentException(
                    "at least 1 action must be allowed, got %d actions, all excluded"
                            .formatted(excluded.length));
        }
        this.excluded = excluded;
        this.count = allowed;
    }

    /** All of n actions. */
    public static AllowedActions all(int actions) {
        return new AllowedActions(new boolean[actions]);
    }

    /** All of n actions but some. */
    public static AllowedActions allBut(int actions, int... excludedActions) {
        boolean[] excluded = new boolean[actions];
        for (int action : excludedActions) {
            if (action < 0 || action >= actions) {
                throw new IllegalArgumentException(
                        "excluded action must be in [0, %d), got %d".formatted(actions, action));
            }
            excluded[action] = true;
        }
        return new AllowedActions(excluded);
    }

    /** All actions but those marked. {@code excluded} is copied. */
    public static AllowedActions excluding(boolean[] excluded) {
        return new AllowedActions(excluded.clone());
    }

    /** Number of actions of the request, allowed or not. */
    public int actions() {
        return excluded.length;
    }

    /** Number of actions that are allowed. */
    public int count() {
        return count;
    }

    /** Whether an action may be chosen. */
    public boolean contains(int action) {
        return !excluded[action];
    }

    /** Refuses to be used with another number of actions than its own. */
    void requireActions(int actions) {
        if (actions != excluded.length) {
            throw new IllegalArgumentException(
                    "allowed actions are out of %d, but the policy has %d to choose from"
                            .formatted(excluded.length, actions));
        }
    }

    /** Moves the entries of the allowed actions to the head of the array, in order. */
    void gather(double[] values) {
        int kept = 0;
        for (int action = 0; action < excluded.length; action++) {
            if (!excluded[action]) {
                values[kept++] = values[action];
            }
        }
    }

    /** Moves the head of the array back to where {@link #gather} took it; zero elsewhere. */
    void scatter(double[] values) {
        int kept = count;
        for (int action = excluded.length - 1; action >= 0; action--) {
            values[action] = excluded[action] ? 0.0 : values[--kept];
        }
    }
}
