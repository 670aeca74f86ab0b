package io.counterflow.core.features;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The hashed features of a context or of all actions of a request, grouped by top-level namespace,
 * by the rules of {@link HashedEncoder}. The arrays are reused for the next request.
 */
final class NamespaceRuns {

    static final int MAX_DEPTH = 32;

    private static final String DEFAULT_NAMESPACE = "";

    /** Seed of the hash of every name at the top level. */
    private static final int TOP_SEED = 0;

    /** Features and runs for which arrays are kept; larger ones are released after a request. */
    static final int KEPT = 4_096;

    private static final int INITIAL = 32;

    private final Set<String> ids = new HashSet<>();
    private int maxFeatures;
    private int size;
    private int[] hashes = new int[INITIAL];
    private double[] values = new double[INITIAL];
    private int runs;
    private String[] runNames = new String[INITIAL];
    private int[] runStarts = new int[INITIAL];
    private int actionStart; // of the context or action that is being added
    private int actionRun;

    /** Prepares for another request. */
    void clear(int maxFeaturesPerAction) {
        maxFeatures = maxFeaturesPerAction;
        size = 0;
        runs = 0;
        ids.clear();
        startAction();
    }

    /** The features that follow belong to another action. */
    void startAction() {
        actionStart = size;
        actionRun = runs;
    }

    /** Whether the id differs from those of the other actions. */
    boolean addId(String id) {
        return ids.add(id);
    }

    /** Releases what is larger than most requests need. */
    void shrink() {
        if (hashes.length > KEPT) {
            hashes = new int[INITIAL];
            values = new double[INITIAL];
        }
        if (runNames.length > KEPT) {
            runNames = new String[INITIAL];
            runStarts = new int[INITIAL];
        }
    }

    /** Number of features for which there is room. */
    int capacity() {
        return hashes.length;
    }

    void add(NamedFeatures features) {
        List<NamedFeatures.Entry> entries = features.entries();
        for (int i = 0; i < entries.size(); i++) {
            String name = entries.get(i).name();
            int hash = MurmurHash3.hash(name, TOP_SEED);
            add(entries.get(i).value(), DEFAULT_NAMESPACE, name, hash, 1);
        }
    }

    /** Adds one feature of value 1 to a namespace. */
    void addMember(String namespace, String member) {
        append(namespace, memberHash(namespace, member), 1.0);
    }

    static int memberHash(String namespace, String member) {
        return MurmurHash3.hash(member, MurmurHash3.hash(namespace, TOP_SEED));
    }

    /**
     * Adds a value and everything below it.
     *
     * @param namespace the namespace if the value is not an object
     * @param inside the namespace of the entries of an object
     */
    private void add(FeatureValue value, String namespace, String inside, int hash, int depth) {
        if (value instanceof NamedFeatures object) {
            requireDepth(depth);
            List<NamedFeatures.Entry> entries = object.entries();
            for (int i = 0; i < entries.size(); i++) {
                int nested = MurmurHash3.hash(entries.get(i).name(), hash);
                add(entries.get(i).value(), inside, inside, nested, depth + 1);
            }
        } else if (value instanceof FeatureValue.Sequence list) {
            requireDepth(depth);
            List<FeatureValue> members = list.values();
            for (int i = 0; i < members.size(); i++) {
                FeatureValue member = members.get(i);
                add(member, namespace, inside, hashOfMember(member, i, hash), depth + 1);
            }
        } else if (value instanceof FeatureValue.Text text) {
            append(namespace, MurmurHash3.hash(text.value(), hash), 1.0);
        } else if (value instanceof FeatureValue.Quantity quantity) {
            append(namespace, hash, quantity.value());
        } else if (value instanceof FeatureValue.Flag flag) {
            append(namespace, hash, flag.value() ? 1.0 : 0.0);
        }
    }

    /** Strings and objects in a list are hashed by value, everything else by position. */
    private static int hashOfMember(FeatureValue member, int position, int listHash) {
        return member instanceof FeatureValue.Text || member instanceof NamedFeatures
                ? listHash
                : MurmurHash3.hash(position, listHash);
    }

    private static void requireDepth(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "features must be nested at most " + MAX_DEPTH + " deep");
        }
    }

    private void append(String namespace, int hash, double value) {
        if (value == 0.0) {
            return; // adds nothing to any score
        }
        if (size - actionStart == maxFeatures) {
            throw new IllegalArgumentException(
                    "a context or an action must have at most %d features (maxFeaturesPerAction)"
                            .formatted(maxFeatures));
        }
        if (runs == actionRun || !runNames[runs - 1].equals(namespace)) {
            startRun(namespace);
        }
        if (size == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
        }
        hashes[size] = hash;
        values[size++] = value;
    }

    private void startRun(String namespace) {
        if (runs == runNames.length) {
            runNames = Arrays.copyOf(runNames, 2 * runs);
            runStarts = Arrays.copyOf(runStarts, 2 * runs);
        }
        runNames[runs] = namespace;
        runStarts[runs++] = size;
    }

    int size() {
        return size;
    }

    /** The hash of each feature; a copy. */
    int[] hashes() {
        return Arrays.copyOf(hashes, size);
    }

    /** The value of each feature; a copy. */
    double[] values() {
        return Arrays.copyOf(values, size);
    }

    /** Where each run begins, and the number of features; a copy. */
    int[] runStarts() {
        int[] starts = Arrays.copyOf(runStarts, runs + 1);
        starts[runs] = size;
        return starts;
    }

    int runs() {
        return runs;
    }

    String runName(int run) {
        return runNames[run];
    }

    int runStart(int run) {
        return runStarts[run];
    }

    int runEnd(int run) {
        return run + 1 < runs ? runStarts[run + 1] : size;
    }
}
