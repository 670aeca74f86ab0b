package io.counterflow.core.loop;

import io.counterflow.core.policy.LinearModel;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps the versions of a loop in memory, for loops outside a job. {@link #versions} returns a live
 * view.
 */
public final class InMemoryVersions implements VersionStore {

    private final Map<Long, LinearModel> models = new TreeMap<>();

    @Override
    public Optional<LinearModel> model(long version) {
        return Optional.ofNullable(models.get(version));
    }

    @Override
    public void keep(long version, LinearModel model) {
        models.put(version, model);
    }

    @Override
    public void forget(long version) {
        models.remove(version);
    }

    @Override
    public Set<Long> versions() {
        return models.keySet();
    }
}
