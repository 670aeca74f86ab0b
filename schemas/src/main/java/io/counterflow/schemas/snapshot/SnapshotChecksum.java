package io.counterflow.schemas.snapshot;

import io.counterflow.core.text.Sha256;
import io.counterflow.schemas.record.CertificateRecord;
import io.counterflow.schemas.record.DenseWeights;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.WeightsPointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over what a snapshot says, all of it but the checksum itself.
 *
 * <p>Fed are, field by field in the schema's order, the length of the field's name (8 bytes, like
 * all numbers little-endian), the name, the length of the value and the value: text in UTF-8,
 * numbers as their 8 bytes, times in microseconds. A field that is null is left out, an array's
 * elements follow each other under one name, and nested fields are named like {@code
 * model.weights}. So the checksum does not depend on the schema's version: a field that is added
 * later is fed only where it differs from its default.
 */
final class SnapshotChecksum {

    private final Sha256 digest = new Sha256();

    private SnapshotChecksum() {}

    /** The checksum in lower-case hexadecimal digits. The record is not modified. */
    static String of(PolicySnapshotRecord record) {
        SnapshotChecksum checksum = new SnapshotChecksum();
        checksum.feed(record);
        return checksum.digest.hex();
    }

    private void feed(PolicySnapshotRecord record) {
        feed("loop", record.getLoop());
        feed("version", record.getVersion());
        feed("parentVersion", record.getParentVersion());
        feed("createdAt", microsOf(record.getCreatedAt()));
        if (record.getModel() instanceof DenseWeights dense) {
            feed("model.actions", (long) dense.getActions());
            feed("model.features", (long) dense.getFeatures());
            feed("model.weights", dense.getWeights());
            feed("model.biases", dense.getBiases());
        } else if (record.getModel() instanceof HashedWeights hashed) {
            feed("model.bits", (long) hashed.getBits());
            feed("model.indices", hashed.getIndices());
            feed("model.values", hashed.getValues());
            hashed.getInteractions().forEach(each -> feed("model.interactions", each));
            feed("model.actionIds", hashed.getActionIds() ? 1L : 0L);
        }
        WeightsPointer pointer = record.getPointer();
        if (pointer != null) {
            feed("pointer.uri", pointer.getUri());
            feed("pointer.size", pointer.getSize());
            feed("pointer.checksum", pointer.getChecksum());
        }
        feed("policy", record.getPolicy());
        feed("propensityKind", record.getPropensityKind());
        feed("propensityDraws", record.getPropensityDraws());
        feed("inverseTemperature", record.getInverseTemperature());
        feed("explorationFloor", record.getExplorationFloor());
        feed("variance", record.getVariance());
        feed("normBound", record.getNormBound());
        feed("specDigest", record.getSpecDigest());
        feed("specVersion", record.getSpecVersion());
        feed("examples", record.getExamples());
        feed("objective", record.getObjective());
        feed("lambda", record.getLambda());
        feed("tau", record.getTau());
        feed("propensitiesEstimated", record.getPropensitiesEstimated() ? 1L : 0L);
        if (record.getCertificate() != null) {
            feed(record.getCertificate());
        }
    }

    /** By hand: {@code ChronoUnit.MICROS.between} overflows beyond 292 years on some platforms. */
    private static long microsOf(Instant time) {
        return time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    private void feed(CertificateRecord certificate) {
        feed("certificate.n", certificate.getN());
        feed("certificate.delta", certificate.getDelta());
        feed("certificate.effectiveSampleSize", certificate.getEffectiveSampleSize());
        feed("certificate.ips", certificate.getIps());
        feed("certificate.truncatedIps", certificate.getTruncatedIps());
        feed("certificate.selfNormalized", certificate.getSelfNormalized());
        feed("certificate.logSmoothed", certificate.getLogSmoothed());
        feed("certificate.onPolicyMean", certificate.getOnPolicyMean());
        feed("certificate.riskBound", certificate.getRiskBound());
        feed("certificate.logSmoothedLowerBound", certificate.getLogSmoothedLowerBound());
    }

    private void feed(String name, String value) {
        feed(name, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }

    private void feed(String name, @Nullable Long value) {
        if (value != null) {
            feed(name, numberOf(value));
        }
    }

    private void feed(String name, @Nullable Double value) {
        if (value != null) {
            feed(name, Double.doubleToLongBits(value));
        }
    }

    private void feed(String name, ByteBuffer value) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        digest.update(numberOf(nameBytes.length))
                .update(ByteBuffer.wrap(nameBytes))
                .update(numberOf(value.remaining()))
                .update(value);
    }

    private static ByteBuffer numberOf(long value) {
        return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
    }
}
