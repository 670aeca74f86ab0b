package io.counterflow.flink.state;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.schemas.record.StoredActionRows;
import io.counterflow.schemas.record.StoredExampleRecord;
import io.counterflow.schemas.record.StoredSparseVector;
import io.counterflow.schemas.wire.PackedNumbers;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Converts buffered examples to records and back. Features are stored in encoded form, because
 * encoding them again after a change of the spec could give other values.
 */
public final class StoredExamples {

    private StoredExamples() {}

    public static StoredExampleRecord toRecord(LoggedExample example) {
        return new StoredExampleRecord(
                toStored(example.features()),
                example.action(),
                Arrays.stream(example.allowed().excluded()).boxed().toList(),
                example.propensity(),
                example.reward(),
                example.policyVersion());
    }

    private static Object toStored(Features features) {
        if (features instanceof DenseVector dense) {
            return PackedNumbers.pack(dense.values());
        }
        if (features instanceof SparseVector sparse) {
            return new StoredSparseVector(
                    sparse.dimension(),
                    PackedNumbers.pack(sparse.indices()),
                    PackedNumbers.pack(sparse.values()));
        }
        ActionFeatures rows = (ActionFeatures) features;
        int[] starts = new int[rows.actions() + 1];
        for (int action = 0; action < starts.length; action++) {
            starts[action] = rows.rowStart(action);
        }
        int entries = starts[rows.actions()];
        int[] indices = new int[entries];
        float[] values = new float[entries];
        for (int entry = 0; entry < entries; entry++) {
            indices[entry] = rows.index(entry);
            values[entry] = rows.value(entry);
        }
        return new StoredActionRows(
                rows.bits(),
                PackedNumbers.pack(starts),
                PackedNumbers.pack(indices),
                PackedNumbers.pack(values));
    }

    static LoggedExample fromRecord(StoredExampleRecord record) {
        return new LoggedExample(
                fromStored(record.getFeatures()),
                AllowedActions.allBut(
                        record.getExcludedActions().stream().mapToInt(Integer::intValue).toArray()),
                record.getAction(),
                record.getPropensity(),
                record.getReward(),
                record.getPolicyVersion());
    }

    private static Features fromStored(Object stored) {
        if (stored instanceof ByteBuffer dense) {
            return DenseVector.owning(PackedNumbers.floats("features", dense));
        }
        if (stored instanceof StoredSparseVector sparse) {
            return new SparseVector(
                    sparse.getDimension(),
                    PackedNumbers.ints("indices", sparse.getIndices()),
                    PackedNumbers.floats("values", sparse.getValues()));
        }
        StoredActionRows rows = (StoredActionRows) stored;
        return ActionFeatures.of(
                rows.getBits(),
                PackedNumbers.ints("rowStarts", rows.getRowStarts()),
                PackedNumbers.ints("indices", rows.getIndices()),
                PackedNumbers.floats("values", rows.getValues()));
    }
}
