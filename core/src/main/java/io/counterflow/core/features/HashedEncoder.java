package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Turns named features of a context and of actions into hashed features φ(x, a).
 *
 * <p>The hash of a name has the hash of its parent as its seed: h(name) = {@link MurmurHash3}(name,
 * h(parent)). The seed at the top level is 0. The rest depends on the value:
 *
 * <table>
 * <caption>What a value becomes</caption>
 * <tr><th>value</th><th>feature</th></tr>
 * <tr><td>string</td><td>1 at MurmurHash3(string, h(name))</td></tr>
 * <tr><td>number</td><td>the number at h(name); zero is omitted</td></tr>
 * <tr><td>true, false</td><td>1 at h(name); nothing</td></tr>
 * <tr><td>list</td><td>each string as if it were the only one; objects by their own names; numbers,
 * booleans and lists under MurmurHash3(position as four bytes, h(name))</td></tr>
 * <tr><td>object</td><td>its entries, with h(name) as their seed</td></tr>
 * </table>
 *
 * <p>An object at the top level is a namespace, which contains everything below it; other top-level
 * values belong to the default namespace, whose name is empty. Features of the context alone would
 * cancel in the softmax, because they are the same for every action. So φ(x, a) has, in this order,
 * the features of the action, its id if the spec says so, and for every {@link Interaction} the
 * products of a context feature c with an action feature a, at mix((h(c) · 0x01000193) ⊕ h(a)). The
 * index of a feature is the lowest bits of its hash.
 *
 * <p>An encoder reuses its buffers. Not thread safe.
 */
public final class HashedEncoder {

    /** The namespace of the id of an action. */
    public static final String ID_NAMESPACE = "id";

    /** Maximum number of features of all actions of a request. */
    public static final int MAX_FEATURES_PER_REQUEST = 1 << 24;

    private static final int COMBINE = 0x01000193;

    private final EncoderSpec spec;
    private final int mask;
    private final NamespaceRuns context;
    private final NamespaceRuns action;
    private final Set<String> ids = new HashSet<>();

    private int size;
    private int rowStart;
    private int[] indices = new int[256];
    private float[] values = new float[256];

    public HashedEncoder(EncoderSpec spec) {
        this.spec = spec;
        this.mask = (1 << spec.bits()) - 1;
        this.context = new NamespaceRuns(spec.maxFeaturesPerAction());
        this.action = new NamespaceRuns(spec.maxFeaturesPerAction());
    }

    /** The index of the feature that the id of an action is. */
    public static int idIndex(EncoderSpec spec, String actionId) {
        return NamespaceRuns.memberHash(ID_NAMESPACE, actionId) & ((1 << spec.bits()) - 1);
    }

    /**
     * The features of every action, in the order given.
     *
     * @param actions at least one, with different ids
     * @throws IllegalArgumentException if a limit is exceeded or a value is out of the range of a
     *     float
     */
    public ActionFeatures encode(NamedFeatures features, List<NamedAction> actions) {
        Require.that(!actions.isEmpty(), "a request must have at least 1 action, got 0");
        size = 0;
        ids.clear();
        context.clear();
        context.add(features);
        int[] rowStarts = new int[actions.size() + 1];
        for (int a = 0; a < actions.size(); a++) {
            NamedAction named = actions.get(a);
            if (!ids.add(named.id())) {
                throw new IllegalArgumentException(
                        "action ids must differ, action %d repeats an earlier one".formatted(a));
            }
            rowStart = size;
            encode(named);
            rowStarts[a + 1] = size;
        }
        return new ActionFeatures(
                spec.bits(), rowStarts, Arrays.copyOf(indices, size), Arrays.copyOf(values, size));
    }

    private void encode(NamedAction named) {
        action.clear();
        action.add(named.features());
        if (spec.actionIds()) {
            action.addMember(ID_NAMESPACE, named.id());
        }
        for (int i = 0; i < action.size(); i++) {
            append(action.hash(i), action.value(i));
        }
        for (int c = 0; c < context.runs(); c++) {
            for (int a = 0; a < action.runs(); a++) {
                if (spec.interact(context.runName(c), action.runName(a))) {
                    multiply(c, a);
                }
            }
        }
    }

    private void multiply(int contextRun, int actionRun) {
        for (int i = context.runStart(contextRun); i < context.runEnd(contextRun); i++) {
            int contextPart = context.hash(i) * COMBINE;
            double contextValue = context.value(i);
            for (int j = action.runStart(actionRun); j < action.runEnd(actionRun); j++) {
                append(
                        MurmurHash3.mix(contextPart ^ action.hash(j)),
                        contextValue * action.value(j));
            }
        }
    }

    private void append(int hash, double value) {
        if (size - rowStart == spec.maxFeaturesPerAction()) {
            throw new IllegalArgumentException(
                    "an action must have at most %d features with its interactions (maxFeaturesPerAction)"
                            .formatted(spec.maxFeaturesPerAction()));
        }
        if (size == MAX_FEATURES_PER_REQUEST) {
            throw new IllegalArgumentException(
                    "a request must have at most %d features with all interactions"
                            .formatted(MAX_FEATURES_PER_REQUEST));
        }
        if (size == indices.length) {
            indices = Arrays.copyOf(indices, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
        }
        indices[size] = hash & mask;
        values[size++] = (float) value;
    }
}
