package io.counterflow.core.loop;

import io.counterflow.core.policy.VersionParameters;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps the versions of a loop in memory, for loops outside a job. {@link #versions} returns a live
 * view.
 */
public final class InMemoryVersions implements VersionStore {

    private final Map<Long, VersionParameters> stored = new TreeMap<>();

    @Override
    public Optional<VersionParameters> parameters(long version) {
        return Optional.ofNullable(stored.get(version));
    }

    @Override
    public void keep(long version, VersionParameters parameters) {
        stored.put(version, parameters);
    }

    @Override
    public void forget(long version) {
        stored.remove(version);
    }

    @Override
    public Set<Long> versions() {
        return stored.keySet();
    }
}
