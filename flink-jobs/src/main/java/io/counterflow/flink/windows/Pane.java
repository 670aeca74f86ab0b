package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a loop's examples of one slide add up to, by the policy version that logged them. The first
 * {@value #MAX_VERSIONS} versions count, so that versions made up by a broken logger stay cheap.
 */
final class Pane {

    /** Most versions of one pane. */
    static final int MAX_VERSIONS = 64;

    private static final int OWN_BYTES = 200;

    private final NavigableMap<Long, VersionPane> versions;
    private boolean stored;
    private boolean changed;
    private long bytes;

    // The version that logged the last example has most likely logged the next one too.
    private long latestVersion;
    private @Nullable VersionPane latest;

    /** A new one. */
    Pane() {
        this(new TreeMap<>(), false);
    }

    private Pane(NavigableMap<Long, VersionPane> versions, boolean stored) {
        this.versions = versions;
        this.stored = stored;
        this.bytes = OWN_BYTES;
        for (VersionPane version : versions.values()) {
            bytes += version.bytes();
        }
    }

    /** As it was stored. */
    static Pane restore(NavigableMap<Long, VersionPane> versions) {
        return new Pane(versions, true);
    }

    /**
     * Takes one example.
     *
     * @return whether it was taken; else there are too many versions
     */
    boolean add(ScoredExample example) {
        VersionPane version = version(example);
        if (version == null) {
            return false;
        }
        bytes -= version.bytes();
        version.add(example);
        bytes += version.bytes();
        changed = true;
        return true;
    }

    private @Nullable VersionPane version(ScoredExample example) {
        if (latest == null || latestVersion != example.loggedBy()) {
            VersionPane known = versions.get(example.loggedBy());
            if (known == null) {
                if (versions.size() == MAX_VERSIONS) {
                    return null;
                }
                known = new VersionPane(example.settings());
                versions.put(example.loggedBy(), known);
                bytes += known.bytes();
            }
            latestVersion = example.loggedBy();
            latest = known;
        }
        return latest;
    }

    /** Adds what this pane has to a window of earlier ones. Does not change this pane. */
    void mergeInto(Map<Long, VersionPane> window) {
        versions.forEach(
                (version, pane) ->
                        window.computeIfAbsent(version, v -> new VersionPane(pane.settings()))
                                .merge(pane));
    }

    /** By version, lower ones first. */
    NavigableMap<Long, VersionPane> versions() {
        return versions;
    }

    /** Whether the store has it, perhaps as it was earlier. */
    boolean stored() {
        return stored;
    }

    /** Whether the store does not have it as it is. */
    boolean changed() {
        return changed;
    }

    /** The store has it as it is. */
    void markStored() {
        stored = true;
        changed = false;
    }

    /** Heap that it takes, about. */
    long bytes() {
        return bytes;
    }
}
