package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.List;

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

    /**
     * Namespaces may be compared this often per feature of the limit. Otherwise a request with many
     * namespaces that are not multiplied could take long without having many features.
     */
    static final int COMPARISONS_PER_FEATURE = 16;

    private final EncoderSpec spec;
    private final int limit;
    private final EncoderBuffers buffers;
    private final NamespaceRuns context;
    private final NamespaceRuns actions;

    /** An encoder with buffers of its own and the largest limit. */
    public HashedEncoder(EncoderSpec spec) {
        this(spec, MAX_FEATURES_PER_REQUEST, new EncoderBuffers());
    }

    /**
     * @param limit maximum number of features of all actions of a request, with interactions
     * @param buffers used during {@link #encode} only
     */
    public HashedEncoder(EncoderSpec spec, int limit, EncoderBuffers buffers) {
        this.spec = spec;
        Require.within(1, MAX_FEATURES_PER_REQUEST, limit, "limit");
        this.limit = limit;
        this.buffers = buffers;
        this.context = buffers.context;
        this.actions = buffers.actions;
    }

    /** The index of the feature that the id of an action is. */
    public static int idIndex(EncoderSpec spec, String actionId) {
        return NamespaceRuns.memberHash(ID_NAMESPACE, actionId) & ((1 << spec.bits()) - 1);
    }

    /**
     * The features of every action, in the order given.
     *
     * @param named at least one action, with different ids
     * @throws IllegalArgumentException if a limit is exceeded or a value is out of the range of a
     *     float
     */
    public ActionFeatures encode(NamedFeatures features, List<NamedAction> named) {
        Require.that(!named.isEmpty(), "a request must have at least 1 action, got 0");
        try {
            int[] firstRuns = hash(features, named);
            return ActionFeatures.of(
                    spec.bits(), FactoredFeatures.of(context, actions, firstRuns, this::partners));
        } finally {
            buffers.shrink();
        }
    }

    /**
     * Hashes the names of a request, which takes time in proportion to its size, and counts its
     * features before any of them are multiplied. Counting takes a limited number of comparisons.
     *
     * @return the first run of each action, and the number of runs
     */
    private int[] hash(NamedFeatures features, List<NamedAction> named) {
        context.clear(spec.maxFeaturesPerAction());
        context.add(features);
        actions.clear(spec.maxFeaturesPerAction());
        int[] firstRuns = new int[named.size() + 1];
        buffers.partners.clear();
        long comparisonsPerRun = (long) context.runs() * spec.interactions().size();
        long count = 0;
        for (int a = 0; a < named.size(); a++) {
            NamedAction action = named.get(a);
            if (!actions.addId(action.id())) {
                throw new IllegalArgumentException(
                        "action ids must differ, action %d repeats an earlier one".formatted(a));
            }
            actions.startAction();
            actions.add(action.features());
            if (spec.actionIds()) {
                actions.addMember(ID_NAMESPACE, action.id());
            }
            firstRuns[a + 1] = actions.runs();
            requireComparisons(comparisonsPerRun * firstRuns[a + 1]);
            count += count(firstRuns[a], firstRuns[a + 1]);
        }
        if (count > limit) {
            throw new IllegalArgumentException(
                    "a request must have at most %d features with all interactions (featureLimit), got %d"
                            .formatted(limit, count));
        }
        return firstRuns;
    }

    private void requireComparisons(long comparisons) {
        long max = (long) COMPARISONS_PER_FEATURE * limit;
        if (comparisons > max) {
            throw new IllegalArgumentException(
                    "a request must have at most %d comparisons of its namespaces with interactions (%d times featureLimit)"
                            .formatted(max, COMPARISONS_PER_FEATURE));
        }
    }

    /** Number of features of an action with its interactions. */
    private long count(int firstRun, int endRun) {
        long count = 0;
        for (int run = firstRun; run < endRun; run++) {
            long length = (long) actions.runEnd(run) - actions.runStart(run);
            count += length * (1 + partners(run).features());
        }
        if (count > spec.maxFeaturesPerAction()) {
            throw new IllegalArgumentException(
                    "an action must have at most %d features with its interactions (maxFeaturesPerAction)"
                            .formatted(spec.maxFeaturesPerAction()));
        }
        return count;
    }

    /** The runs of the context that are multiplied with a run of an action. */
    private Partners partners(int run) {
        String namespace = actions.runName(run);
        Partners known = buffers.partners.get(namespace);
        if (known == null) {
            known = Partners.of(spec, context, namespace);
            buffers.partners.put(namespace, known);
        }
        return known;
    }
}
