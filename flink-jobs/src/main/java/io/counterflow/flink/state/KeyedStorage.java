package io.counterflow.flink.state;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.LoopStorage;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.schemas.record.VersionParametersRecord;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.UndecodableRecordException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one loop and the blocks of its example buffer, in keyed state. The loop's key
 * must be current.
 *
 * <p>Throws a {@link FlinkRuntimeException} if the state backend fails, and another runtime
 * exception if the backend works but what it has stored of this loop cannot be used.
 */
public final class KeyedStorage implements LoopStorage {

    private final String loop;
    private final LoopStates states;
    private final BlockCache cache;
    private final LinearModel shape;
    private final OpenBlock open;

    /**
     * @param cache keeps blocks of all loops in memory
     * @param shape a model of the loop's shape
     */
    public KeyedStorage(String loop, LoopStates states, BlockCache cache, LinearModel shape) {
        this.loop = loop;
        this.states = states;
        this.cache = cache;
        this.shape = shape;
        this.open = new OpenBlock(states.openExamples());
    }

    @Override
    public Optional<VersionParameters> parameters(long version) {
        @Nullable VersionParametersRecord record;
        try {
            record = states.versions().get(version);
        } catch (UndecodableRecordException e) { // the loop, not the state backend
            throw new IllegalStateException("version " + version + " cannot be decoded", e);
        } catch (Exception e) { // declared by Flink, if the state backend cannot be read
            throw new FlinkRuntimeException("version " + version + " cannot be read", e);
        }
        return record == null
                ? Optional.empty()
                : Optional.of(
                        new VersionParameters(
                                FlatParameters.toModel(
                                        shape,
                                        PackedNumbers.floats("parameters", record.getParameters())),
                                Optionals.of(record.getVariance()),
                                record.getFromRewardModel()));
    }

    @Override
    public void keep(long version, VersionParameters parameters) {
        try {
            states.versions()
                    .put(
                            version,
                            new VersionParametersRecord(
                                    version,
                                    PackedNumbers.pack(FlatParameters.of(parameters.model())),
                                    Optionals.orNull(parameters.variance()),
                                    parameters.fromRewardModel()));
        } catch (Exception e) {
            throw new FlinkRuntimeException("version " + version + " cannot be stored", e);
        }
    }

    @Override
    public void forget(long version) {
        try {
            states.versions().remove(version);
        } catch (Exception e) {
            throw new FlinkRuntimeException("version " + version + " cannot be removed", e);
        }
    }

    @Override
    public Set<Long> versions() {
        try {
            Set<Long> versions = new HashSet<>();
            states.versions().numbers().forEach(versions::add);
            return versions;
        } catch (Exception e) {
            throw new FlinkRuntimeException("versions cannot be read", e);
        }
    }

    @Override
    public ExampleLog block(long first) {
        return cache.get(loop, first).orElseGet(() -> read(first));
    }

    private ExampleLog read(long first) {
        @Nullable ExampleLog block;
        try {
            block = states.blocks().get(first);
        } catch (RuntimeException e) {
            throw e; // the block cannot be decoded
        } catch (Exception e) {
            throw new FlinkRuntimeException("block " + first + " cannot be read", e);
        }
        if (block == null) {
            throw new IllegalStateException("block %d is not stored".formatted(first));
        }
        cache.putRead(loop, first, block);
        return block;
    }

    @Override
    public void keepBlock(long first, ExampleLog examples) {
        try {
            states.blocks().put(first, examples, 0);
        } catch (Exception e) {
            throw new FlinkRuntimeException("block " + first + " cannot be stored", e);
        }
        cache.put(loop, first, examples);
    }

    @Override
    public void forgetBlock(long first) {
        try {
            states.blocks().remove(first);
        } catch (Exception e) {
            throw new FlinkRuntimeException("block " + first + " cannot be removed", e);
        }
        cache.remove(loop, first);
    }

    /**
     * Reads the examples that are in no block, oldest first.
     *
     * @param received number of examples that the loop has received
     */
    public List<LoggedExample> readOpen(int count, long received) throws Exception {
        return open.read(received - count, received);
    }

    /** Writes the examples that are in no block. Called before the loop is stored. */
    public void writeOpen(ExampleLog examples, long received) throws Exception {
        open.write(examples, received);
    }
}
