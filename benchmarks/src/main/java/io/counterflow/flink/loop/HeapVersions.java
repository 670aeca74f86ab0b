package io.counterflow.flink.loop;

import io.counterflow.core.loop.VersionStore;
import io.counterflow.core.policy.LinearModel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Versions of a loop outside any backend. */
final class HeapVersions implements VersionStore {

    private final Map<Long, LinearModel> models = new HashMap<>();

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
