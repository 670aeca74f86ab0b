package io.counterflow.client;

import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A policy store that is told of one loop as its topics would. */
public final class PolicyStoreFixture {

    public static final String LOOP = "home";

    private final String loop;
    private final List<String> refusals = new ArrayList<>();
    private final PolicyStore store;
    private long sequence;
    private Instant startedAt = Instant.EPOCH;

    public PolicyStoreFixture() {
        this(LOOP);
    }

    public PolicyStoreFixture(String loop) {
        this(loop, PolicyLimits.ofHeap());
    }

    public PolicyStoreFixture(String loop, PolicyLimits limits) {
        this(loop, limits, SnapshotDirectory.none());
    }

    public PolicyStoreFixture(String loop, PolicyLimits limits, SnapshotDirectory files) {
        this.loop = loop;
        this.store = new PolicyStore(limits, files, refusals::add);
    }

    public PolicyStore store() {
        return store;
    }

    public List<String> refusals() {
        return refusals;
    }

    /** The loop as it is served after all that was told. */
    public ServedLoop served() {
        store.swap();
        return store.loop(loop).orElseThrow();
    }

    public static LoopSpec spec(long version, String json) {
        return spec(LOOP, version, json);
    }

    public static LoopSpec spec(String loop, long version, String json) {
        return new LoopSpecJson(JsonLimits.defaults())
                .read(json, loop, version, Instant.parse("2026-01-01T00:00:00Z"));
    }

    public PolicyStoreFixture spec(LoopSpec spec) {
        store.takeSpec(
                spec.loop(),
                WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
        return this;
    }

    /** The job has put a spec into force. */
    public PolicyStoreFixture inForce(LoopSpec spec) {
        store.takeRollout(
                spec.loop() + "@spec",
                WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
        return this;
    }

    public static PolicySnapshotRecord snapshot(LoopSpec spec, long version, LinearModel model) {
        return SnapshotConversion.toRecord(
                PolicySnapshot.of(spec.loop(), version, model, spec.encoder()));
    }

    public PolicyStoreFixture snapshot(PolicySnapshotRecord record) {
        return snapshot(
                WireCodec.of(PolicySnapshotRecord.class).encode(record), record.getVersion());
    }

    public PolicyStoreFixture snapshot(byte[] value, long version) {
        store.takeSnapshot(loop, value, new KnownVersion.Place(0, 2 * version));
        store.takeSnapshot(loop + "@" + version, value, new KnownVersion.Place(0, 2 * version + 1));
        return this;
    }

    /** Rollouts that follow are those of a loop that started at a time. */
    public PolicyStoreFixture started(Instant time) {
        startedAt = time;
        sequence = 0;
        return this;
    }

    public PolicyStoreFixture active(long version, long specVersion) {
        return rollout(
                new Rollout(
                        Stage.FULL,
                        version,
                        OptionalLong.empty(),
                        List.of(),
                        OptionalLong.empty(),
                        0.0,
                        false,
                        Optional.empty()),
                specVersion);
    }

    public PolicyStoreFixture canary(long active, long candidate, double share, long specVersion) {
        return rollout(
                new Rollout(
                        Stage.CANARY,
                        active,
                        OptionalLong.of(candidate),
                        List.of(),
                        OptionalLong.empty(),
                        share,
                        false,
                        Optional.empty()),
                specVersion);
    }

    public PolicyStoreFixture rollout(Rollout rollout, long specVersion) {
        return rollout(RolloutChange.Kind.PROMOTED, rollout, "told", specVersion);
    }

    public PolicyStoreFixture rollout(
            RolloutChange.Kind kind, Rollout rollout, String reason, long specVersion) {
        RolloutRecord record =
                RolloutConversion.toRecord(
                        new RolloutChange(++sequence, kind, rollout, reason, Optional.empty()),
                        loop,
                        1_000_000 * sequence,
                        RolloutMode.MANUAL,
                        Optional.empty(),
                        specVersion);
        record.setLoopStartedAt(startedAt);
        store.takeRollout(loop, WireCodec.of(RolloutRecord.class).encode(record));
        return this;
    }
}
