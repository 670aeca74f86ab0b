package io.counterflow.core.loop;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.VersionParameters;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps the versions and examples of a loop in memory, for loops outside a job. {@link #versions}
 * returns a live view.
 */
public final class InMemoryStorage implements LoopStorage {

    private final Map<Long, VersionParameters> stored = new TreeMap<>();
    private final Map<Long, ExampleLog> blocks = new HashMap<>();

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

    @Override
    public ExampleLog block(long first) {
        ExampleLog block = blocks.get(first);
        if (block == null) {
            throw new IllegalStateException("block %d is not stored".formatted(first));
        }
        return block;
    }

    @Override
    public void keepBlock(long first, ExampleLog examples) {
        blocks.put(first, examples);
    }

    @Override
    public void forgetBlock(long first) {
        blocks.remove(first);
    }
}
