package io.counterflow.core.log;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NormBound;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.LinearModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Logged examples in memory, stored in columns. A pass over them allocates nothing. */
public final class ExampleLog {

    /** Without its features and exclusions. */
    private static final long BYTES_AROUND_AN_EXAMPLE = 128;

    private final List<Features> features = new ArrayList<>();
    private float[] @Nullable [] denseValues = new float[16][];
    private AllowedActions[] allowed = new AllowedActions[16];
    private boolean restricted;
    private int[] actions = new int[16];
    private double[] propensities = new double[16];
    private double[] rewards = new double[16];
    private long[] policyVersions = new long[16];

    public void add(LoggedExample example) {
        add(
                example.features(),
                example.allowed(),
                example.action(),
                example.propensity(),
                example.reward(),
                example.policyVersion());
    }

    /** Adds an example of another log. Allocates nothing if there is room. */
    public void add(ExampleLog from, int i) {
        add(
                from.features.get(i),
                from.allowed[i],
                from.actions[i],
                from.propensities[i],
                from.rewards[i],
                from.policyVersions[i]);
    }

    private void add(
            Features x,
            AllowedActions allowedActions,
            int action,
            double propensity,
            double reward,
            long policyVersion) {
        int n = features.size();
        if (n == actions.length) {
            int capacity = n + (n >> 1);
            denseValues = Arrays.copyOf(denseValues, capacity);
            allowed = Arrays.copyOf(allowed, capacity);
            actions = Arrays.copyOf(actions, capacity);
            propensities = Arrays.copyOf(propensities, capacity);
            rewards = Arrays.copyOf(rewards, capacity);
            policyVersions = Arrays.copyOf(policyVersions, capacity);
        }
        features.add(x);
        denseValues[n] = denseValuesOf(x);
        allowed[n] = allowedActions;
        restricted |= !allowedActions.isAll();
        actions[n] = action;
        propensities[n] = propensity;
        rewards[n] = reward;
        policyVersions[n] = policyVersion;
    }

    /** n, the number of examples. */
    public int size() {
        return features.size();
    }

    /** x of example i. */
    public Features features(int i) {
        return features.get(i);
    }

    /** The coordinates of x of example i if x is dense; otherwise null. Must not be modified. */
    public float @Nullable [] denseValues(int i) {
        return denseValues[i];
    }

    private static float @Nullable [] denseValuesOf(Features features) {
        return features instanceof DenseVector dense ? dense.values() : null;
    }

    /** The actions that could be chosen in example i. */
    public AllowedActions allowed(int i) {
        return allowed[i];
    }

    /** Whether any example has excluded actions. */
    public boolean hasExclusions() {
        return restricted;
    }

    /** a of example i, from 0. */
    public int action(int i) {
        return actions[i];
    }

    /** p of example i, in (0, 1]. */
    public double propensity(int i) {
        return propensities[i];
    }

    /** r of example i, in [0, 1]. */
    public double reward(int i) {
        return rewards[i];
    }

    /** Version of the policy that logged example i. */
    public long policyVersion(int i) {
        return policyVersions[i];
    }

    /** Approximate memory of example i in bytes. */
    public long bytes(int i) {
        return BYTES_AROUND_AN_EXAMPLE + features.get(i).bytes() + allowed[i].bytes();
    }

    /** Approximate memory of all examples in bytes. */
    public long bytes() {
        long bytes = 0;
        for (int i = 0; i < size(); i++) {
            bytes += bytes(i);
        }
        return bytes;
    }

    /** Example i as one value. Inner loops use the other methods. */
    public LoggedExample example(int i) {
        return new LoggedExample(
                features.get(i),
                allowed[i],
                actions[i],
                propensities[i],
                rewards[i],
                policyVersions[i]);
    }

    /** The examples at some positions, in that order; features are shared, not copied. */
    public ExampleLog select(int[] positions) {
        ExampleLog selected = new ExampleLog();
        for (int position : positions) {
            selected.add(this, position);
        }
        return selected;
    }

    /** Refuses a log that is empty or does not fit a model. */
    public void requireFit(LinearModel model) {
        Require.that(size() != 0, "the log has no examples");
        for (int i = 0; i < size(); i++) {
            int count = model.actionCount(features.get(i)); // refuses features of another shape
            if (actions[i] >= count) {
                throw new IllegalArgumentException(
                        "example %d: action must be below %d, got %d"
                                .formatted(i, count, actions[i]));
            }
            allowed[i].requireWithin(count);
        }
    }

    /** The largest ‖φ‖ over all examples: the norm bound B, measured. 0 for an empty log. */
    public double maxNorm() {
        return NormBound.measured(features).value();
    }
}
