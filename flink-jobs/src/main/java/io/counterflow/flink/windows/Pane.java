package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sums of the examples of one loop and one slide, by policy version. A pane has at most {@value
 * #MAX_VERSIONS} versions, so that invalid version numbers cannot fill the memory.
 */
final class Pane {

    /** Maximum number of versions of one pane. */
    static final int MAX_VERSIONS = 64;

    private static final int OWN_BYTES = 200;

    private final NavigableMap<Long, VersionPane> versions;
    private boolean stored;
    private boolean changed;
    private long bytes;

    // Consecutive examples are usually logged by the same version.
    private long latestVersion;
    private @Nullable VersionPane latest;

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

    static Pane restore(NavigableMap<Long, VersionPane> versions) {
        return new Pane(versions, true);
    }

    /**
     * Adds one example.
     *
     * @return false if the pane has too many versions
     */
    boolean add(ScoredExample example) {
        VersionPane deciding = version(example.decidedBy(), example);
        VersionPane logging = version(example.loggedBy(), example);
        if (deciding == null || logging == null) {
            return false;
        }
        deciding.addDecided(example);
        bytes -= logging.bytes();
        logging.addAudit(example.audit());
        if (example.apprentice()) {
            logging.addShown(example);
        } else if (!example.holdout()) { // estimates are about the versions of the rollout
            logging.addLogged(example);
        }
        bytes += logging.bytes();
        changed = true;
        return true;
    }

    private @Nullable VersionPane version(long version, ScoredExample example) {
        if (latest == null || latestVersion != version) {
            VersionPane known = versions.get(version);
            if (known == null) {
                if (versions.size() == MAX_VERSIONS) {
                    return null;
                }
                known = new VersionPane(example.settings());
                versions.put(version, known);
                bytes += known.bytes();
            }
            latestVersion = version;
            latest = known;
        }
        return latest;
    }

    /** Adds this pane to a window of earlier panes. Does not change this pane. */
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

    /** Whether the store has some version of this pane. */
    boolean stored() {
        return stored;
    }

    /** Whether the pane has changed since it was stored. */
    boolean changed() {
        return changed;
    }

    /** Called when the pane has been stored. */
    void markStored() {
        stored = true;
        changed = false;
    }

    /** Approximate heap, in bytes. */
    long bytes() {
        return bytes;
    }
}
