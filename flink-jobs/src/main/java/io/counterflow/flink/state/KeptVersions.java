package io.counterflow.flink.state;

import io.counterflow.core.loop.VersionStore;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.schemas.record.VersionParametersRecord;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.PackedNumbers;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.util.FlinkRuntimeException;

/** The versions of one loop in keyed state. The loop's key must be current. */
public final class KeptVersions implements VersionStore {

    private final MapState<Long, VersionParametersRecord> stored;
    private final LinearModel shape;

    /**
     * @param shape a model of the loop's shape
     */
    public KeptVersions(MapState<Long, VersionParametersRecord> stored, LinearModel shape) {
        this.stored = stored;
        this.shape = shape;
    }

    @Override
    public Optional<VersionParameters> parameters(long version) {
        try {
            VersionParametersRecord record = stored.get(version);
            return record == null
                    ? Optional.empty()
                    : Optional.of(
                            new VersionParameters(
                                    FlatParameters.toModel(
                                            shape,
                                            PackedNumbers.floats(
                                                    "parameters", record.getParameters())),
                                    Optionals.of(record.getVariance())));
        } catch (Exception e) { // declared by Flink, if the state backend cannot be read
            throw new FlinkRuntimeException("version " + version + " cannot be read", e);
        }
    }

    @Override
    public void keep(long version, VersionParameters parameters) {
        try {
            stored.put(
                    version,
                    new VersionParametersRecord(
                            version,
                            PackedNumbers.pack(FlatParameters.of(parameters.model())),
                            Optionals.orNull(parameters.variance())));
        } catch (Exception e) {
            throw new FlinkRuntimeException("version " + version + " cannot be stored", e);
        }
    }

    @Override
    public void forget(long version) {
        try {
            stored.remove(version);
        } catch (Exception e) {
            throw new FlinkRuntimeException("version " + version + " cannot be removed", e);
        }
    }

    @Override
    public Set<Long> versions() {
        try {
            Set<Long> versions = new HashSet<>();
            stored.keys().forEach(versions::add);
            return versions;
        } catch (Exception e) {
            throw new FlinkRuntimeException("versions cannot be read", e);
        }
    }
}
