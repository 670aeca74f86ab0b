package io.counterflow.schemas.snapshot;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.record.CertificateRecord;
import io.counterflow.schemas.record.DenseWeights;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.record.LearnedFromRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.WeightsPointer;
import io.counterflow.schemas.wire.Optionals;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalDouble;

/** Converts snapshots to records, with a checksum, and back, with verification. */
public final class SnapshotConversion {

    private SnapshotConversion() {}

    public static PolicySnapshotRecord toRecord(PolicySnapshot snapshot) {
        PolicySnapshotRecord record = withoutWeights(snapshot);
        record.setModel(ModelConversion.toWeights(snapshot.model(), snapshot.encoder()));
        record.setChecksum(SnapshotChecksum.of(record));
        return record;
    }

    /**
     * A record of a snapshot with a pointer to its weights.
     *
     * @param uri location of the record of {@link #toRecord}, in wire form
     * @param size size of that record in bytes
     */
    public static PolicySnapshotRecord toPointer(PolicySnapshot snapshot, String uri, long size) {
        return toPointer(snapshot, uri, size, toRecord(snapshot).getChecksum());
    }

    /** The same for a snapshot whose record has a known checksum. */
    public static PolicySnapshotRecord toPointer(
            PolicySnapshot snapshot, String uri, long size, String checksum) {
        PolicySnapshotRecord record = withoutWeights(snapshot);
        record.setPointer(new WeightsPointer(uri, size, checksum));
        record.setChecksum(SnapshotChecksum.of(record));
        return record;
    }

    private static PolicySnapshotRecord withoutWeights(PolicySnapshot snapshot) {
        Training training = snapshot.training();
        PolicySnapshotRecord record = new PolicySnapshotRecord();
        record.setLoop(snapshot.loop());
        record.setVersion(snapshot.version());
        record.setParentVersion(Optionals.orNull(snapshot.parentVersion()));
        record.setCreatedAt(snapshot.createdAt());
        DecisionRule rule = snapshot.decisionRule();
        record.setPolicy(JsonName.of(rule.kind()));
        record.setPropensityKind(JsonName.of(rule.propensityKind()));
        record.setPropensityDraws(rule.propensityDraws());
        record.setInverseTemperature(rule.inverseTemperature());
        record.setExplorationFloor(rule.explorationFloor());
        record.setVariance(Optionals.orNull(snapshot.variance()));
        record.setNormBound(Optionals.orNull(snapshot.normBound()));
        record.setSpecDigest(training.specDigest());
        record.setSpecVersion(training.specVersion());
        record.setExamples(training.examples());
        record.setObjective(training.objective());
        record.setLambda(Optionals.orNull(training.lambda()));
        record.setTau(Optionals.orNull(training.tau()));
        record.setPropensitiesEstimated(training.propensitiesEstimated());
        snapshot.certificate().ifPresent(it -> record.setCertificate(toRecord(it)));
        record.setChecksum("");
        return record;
    }

    private static CertificateRecord toRecord(Certificate certificate) {
        Certificate.Estimates estimates = certificate.estimates();
        CertificateRecord record = new CertificateRecord();
        record.setN(certificate.n());
        record.setDelta(certificate.delta());
        record.setEffectiveSampleSize(certificate.effectiveSampleSize());
        record.setIps(estimates.ips());
        record.setTruncatedIps(estimates.truncatedIps());
        record.setSelfNormalized(estimates.selfNormalized());
        record.setLogSmoothed(estimates.logSmoothed());
        record.setOnPolicyMean(estimates.onPolicyMean());
        certificate.learnedFrom().ifPresent(it -> record.setLearnedFrom(toRecord(it)));
        return record;
    }

    private static LearnedFromRecord toRecord(Certificate.LearnedFrom bound) {
        return new LearnedFromRecord(
                bound.valueLowerBound(),
                bound.smoothing(),
                bound.variance(),
                bound.priorVariance(),
                bound.divergence());
    }

    /**
     * The number of parameters that a record declares, which may be far more than it has bytes; 0
     * if its weights are stored elsewhere.
     */
    public static long parameterCount(PolicySnapshotRecord record) {
        if (record.getModel() instanceof HashedWeights hashed) {
            ModelConversion.requireBits(hashed.getBits());
            return 1L << hashed.getBits();
        }
        return record.getModel() instanceof DenseWeights dense
                ? (dense.getFeatures() + 1L) * dense.getActions()
                : 0;
    }

    /** A copy of a record without its weights, which keeps their shape and the checksum. */
    public static PolicySnapshotRecord withoutWeights(PolicySnapshotRecord record) {
        PolicySnapshotRecord copy = new PolicySnapshotRecord();
        record.getSchema().getFields().forEach(it -> copy.put(it.pos(), record.get(it.pos())));
        ByteBuffer none = ByteBuffer.allocate(0);
        if (record.getModel() instanceof HashedWeights hashed) {
            copy.setModel(
                    new HashedWeights(
                            hashed.getBits(),
                            none,
                            none,
                            hashed.getInteractions(),
                            hashed.getActionIds()));
        } else if (record.getModel() instanceof DenseWeights dense) {
            copy.setModel(new DenseWeights(dense.getActions(), dense.getFeatures(), none, none));
        }
        return copy;
    }

    /**
     * A copy of a record with its weights, from which they were left out or which points to them.
     */
    public static PolicySnapshotRecord withModel(
            PolicySnapshotRecord record, LinearModel model, Optional<EncoderSpec> encoder) {
        PolicySnapshotRecord copy = withoutWeights(record);
        copy.setModel(ModelConversion.toWeights(model, encoder));
        copy.setPointer(null);
        copy.setChecksum(SnapshotChecksum.of(copy));
        return copy;
    }

    /** Refuses a record whose checksum is wrong. */
    public static void verify(PolicySnapshotRecord record) throws InvalidSnapshotException {
        String expected = SnapshotChecksum.of(record);
        if (!expected.equals(record.getChecksum())) {
            throw new InvalidSnapshotException(
                    "checksum must be %s, got \"%s\": the content was changed or damaged"
                            .formatted(expected, record.getChecksum()));
        }
    }

    /** The snapshot of a record, verified. */
    public static PolicySnapshot fromRecord(PolicySnapshotRecord record)
            throws InvalidSnapshotException {
        verify(record);
        if (record.getPointer() != null) {
            throw new InvalidSnapshotException(
                    "the weights are stored elsewhere, at " + record.getPointer().getUri());
        }
        try {
            return snapshot(
                    record,
                    ModelConversion.toModel(record.getModel()),
                    ModelConversion.encoderOf(record.getModel()));
        } catch (IllegalArgumentException e) {
            throw new InvalidSnapshotException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The snapshot of a record with a model that is given apart from it. */
    static PolicySnapshot snapshot(
            PolicySnapshotRecord record, LinearModel model, Optional<EncoderSpec> encoder) {
        return new PolicySnapshot(
                record.getLoop(),
                record.getVersion(),
                Optionals.of(record.getParentVersion()),
                record.getCreatedAt(),
                model,
                encoder,
                ruleOf(record),
                Optionals.of(record.getVariance()),
                Optionals.of(record.getNormBound()),
                trainingOf(record),
                Optional.ofNullable(record.getCertificate())
                        .map(SnapshotConversion::certificateOf));
    }

    /** The decision rule of a record. A softmax does not use the variance. */
    private static DecisionRule ruleOf(PolicySnapshotRecord record) {
        PolicyKind kind = LoopSettings.POLICY.constant(record.getPolicy());
        long draws = record.getPropensityDraws();
        return new DecisionRule(
                kind,
                record.getInverseTemperature(),
                record.getExplorationFloor(),
                kind == PolicyKind.MIXED_LOGIT
                        ? Optionals.of(record.getVariance())
                        : OptionalDouble.empty(),
                LoopSettings.PROPENSITY_KIND.constant(record.getPropensityKind()),
                (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, draws)));
    }

    private static Training trainingOf(PolicySnapshotRecord record) {
        return new Training(
                record.getObjective(),
                Optionals.of(record.getLambda()),
                Optionals.of(record.getTau()),
                record.getExamples(),
                record.getPropensitiesEstimated(),
                record.getSpecDigest(),
                record.getSpecVersion());
    }

    private static Certificate certificateOf(CertificateRecord record) {
        return new Certificate(
                new Certificate.Estimates(
                        record.getIps(),
                        record.getTruncatedIps(),
                        record.getSelfNormalized(),
                        record.getLogSmoothed(),
                        record.getOnPolicyMean()),
                Optional.ofNullable(record.getLearnedFrom()).map(SnapshotConversion::learnedFromOf),
                record.getDelta(),
                record.getN(),
                record.getEffectiveSampleSize());
    }

    private static Certificate.LearnedFrom learnedFromOf(LearnedFromRecord record) {
        return new Certificate.LearnedFrom(
                record.getValueLowerBound(),
                record.getSmoothing(),
                record.getVariance(),
                record.getPriorVariance(),
                record.getDivergence());
    }
}
