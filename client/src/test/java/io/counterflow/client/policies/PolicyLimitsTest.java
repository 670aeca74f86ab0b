package io.counterflow.client.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PolicyLimitsTest {

    private static final int BITS = 10;
    private static final long VERSION_BYTES = 4L << BITS;

    private final List<String> refusals = new ArrayList<>();

    private PolicyStore store(long loopBytes, long allBytes) {
        return new PolicyStore(
                new PolicyLimits(loopBytes, allBytes), SnapshotDirectory.none(), refusals::add);
    }

    private static LoopSpec spec(String loop, int bits) {
        return PolicyStoreFixture.spec(loop, 1, "{\"bits\":%d}".formatted(bits));
    }

    private static void tell(PolicyStore store, LoopSpecRecord spec) {
        store.takeSpec(spec.getLoop(), WireCodec.of(LoopSpecRecord.class).encode(spec));
    }

    private static void tell(PolicyStore store, LoopSpec spec) {
        tell(store, LoopSpecConversion.toRecord(spec));
    }

    private static PolicySnapshot snapshot(String loop, long version) {
        return snapshot(loop, version, (float) version);
    }

    private static PolicySnapshot snapshot(String loop, long version, float weight) {
        float[] weights = new float[1 << BITS];
        weights[7] = weight;
        return PolicySnapshot.of(
                loop, version, new HashedModel(BITS, weights), spec(loop, BITS).encoder());
    }

    private static void tell(PolicyStore store, PolicySnapshotRecord record) {
        store.takeSnapshot(
                record.getLoop() + "@" + record.getVersion(),
                WireCodec.of(PolicySnapshotRecord.class).encode(record),
                new KnownVersion.Place(0, record.getVersion()));
    }

    private static void tell(PolicyStore store, PolicySnapshot snapshot) {
        tell(store, SnapshotConversion.toRecord(snapshot));
    }

    private static void activate(PolicyStore store, String loop, long sequence, long version) {
        RolloutRecord record =
                new PolicyStoreFixture(loop)
                        .spec(spec(loop, BITS))
                        .active(version, 1)
                        .served()
                        .rollout()
                        .orElseThrow();
        record.setSequence(sequence);
        record.setLoopStartedAt(Instant.EPOCH);
        store.takeRollout(loop, WireCodec.of(RolloutRecord.class).encode(record));
    }

    /** A few bytes that declare many weights. */
    private static PolicySnapshotRecord declared(String loop, long version, int bits) {
        PolicySnapshotRecord record =
                SnapshotConversion.toRecord(
                        PolicySnapshot.of(
                                loop,
                                version,
                                HashedModel.zeros(BITS),
                                spec(loop, BITS).encoder()));
        record.setModel(
                new HashedWeights(
                        bits,
                        PackedNumbers.pack(new int[] {1}),
                        PackedNumbers.pack(new float[] {1f}),
                        List.of("*:*"),
                        true));
        return record;
    }

    @Test
    void aLoopThatIsTooLargeIsRefusedAndTheOthersAreServed() {
        PolicyStore store = store(VERSION_BYTES, 10 * VERSION_BYTES);
        tell(store, spec("large", BITS + 1));
        tell(store, spec("small", BITS));
        store.swap();
        String reason =
                "the parameters of a version must take at most 4096 bytes (serving.max-loop-size), got 8192";
        assertThat(store.loops().keySet()).containsExactly("small");
        assertThat(store.refusedLoops()).containsExactly(Map.entry("large", reason));
        assertThat(refusals).containsExactly("refused a spec with key large: " + reason);
        store.takeSpec("large", null);
        store.swap();
        assertThat(store.refusedLoops()).isEmpty();
    }

    /** Otherwise a few bytes would make the process allocate 512 MiB. */
    @Test
    void aStartingPolicyIsMeasuredBeforeItIsCreated() {
        PolicyStore store = store(VERSION_BYTES, 10 * VERSION_BYTES);
        LoopSpecRecord record = LoopSpecConversion.toRecord(spec("home", BITS));
        record.setStartingPolicy(declared("home", 0, 26));
        tell(store, record);
        store.swap();
        assertThat(store.refusedLoops().get("home")).endsWith("got 268435456");
    }

    @Test
    void aSnapshotIsMeasuredBeforeItIsCreated() {
        PolicyStore store = store(VERSION_BYTES, 10 * VERSION_BYTES);
        tell(store, spec("home", BITS));
        tell(store, snapshot("home", 1));
        activate(store, "home", 1, 1);
        store.swap();
        PolicySnapshotRecord large = declared("home", 2, 26);
        large.setChecksum("");
        large.setChecksum(checksumOf(large));
        tell(store, large);
        activate(store, "home", 2, 2);
        store.swap();
        ServedLoop loop = store.loop("home").orElseThrow();
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.degradedReason()).hasValue("version 2 has not been loaded");
        assertThat(refusals)
                .singleElement()
                .asString()
                .contains("home@2", "serving.max-loop-size", "got 268435456");
    }

    private static String checksumOf(PolicySnapshotRecord record) {
        try {
            SnapshotConversion.verify(record);
            return record.getChecksum();
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            return message.substring(17, message.indexOf(','));
        }
    }

    @Test
    void aLoopWithoutRoomIsDegradedUntilThereIsRoom() {
        PolicyStore store = store(VERSION_BYTES, 2 * VERSION_BYTES + 2_000);
        for (String loop : List.of("a", "b", "c")) {
            tell(store, spec(loop, BITS));
            tell(store, snapshot(loop, 1));
            activate(store, loop, 1, 1);
        }
        store.swap(version -> Optional.of(snapshot("c", version.version())));
        assertThat(store.degraded().keySet()).containsExactly("c");
        assertThat(store.loop("a").orElseThrow().active().version()).isEqualTo(1);
        ServedLoop lacking = store.loop("c").orElseThrow();
        assertThat(lacking.active().version()).as("the start").isZero();
        assertThat(lacking.degradedReason().orElseThrow())
                .startsWith("version 1 has not been loaded: it takes 4096 bytes, and the policies")
                .endsWith("(serving.max-policies-size)");
        assertThat(refusals).singleElement().asString().contains("c@1", "max-policies-size");
        store.takeSpec("a", null);
        store.takeRollout("a", null);
        store.takeSnapshot("a@1", null, new KnownVersion.Place(0, 9));
        store.swap(version -> Optional.of(snapshot("c", version.version())));
        assertThat(store.degraded()).isEmpty();
        assertThat(store.loop("c").orElseThrow().active().version()).isEqualTo(1);
        assertThat(store.usedBytes()).isBetween(2 * VERSION_BYTES, 2 * VERSION_BYTES + 2_000);
    }

    /** Weights that the next rollout may name are kept only while there is room. */
    @Test
    void weightsThatNothingNamesMakeRoom() {
        PolicyStore store = store(VERSION_BYTES, 2 * VERSION_BYTES + 3_000);
        for (String loop : List.of("a", "b")) {
            tell(store, spec(loop, BITS));
            activate(store, loop, 1, 1);
            tell(store, snapshot(loop, 1));
            tell(store, snapshot(loop, 2));
        }
        store.swap();
        assertThat(store.degraded()).isEmpty();
        assertThat(store.loop("b").orElseThrow().active().version()).isEqualTo(1);
        assertThat(refusals).isEmpty();
    }

    @Test
    void loopsThatHaveLearnedNothingShareNothingButZeros() {
        PolicyStore store = store(32L << 20, 1); // not one byte of parameters
        for (int i = 0; i < 2_000; i++) {
            tell(store, spec("loop-" + i, 18));
        }
        store.swap();
        assertThat(store.size()).isEqualTo(2_000);
        assertThat(store.usedBytes()).isZero();
        List<LinearModel> models =
                IntStream.range(0, 2_000)
                        .mapToObj(i -> store.loop("loop-" + i).orElseThrow())
                        .map(it -> it.active().policy().model())
                        .toList();
        assertThat(models).allMatch(it -> ((HashedModel) it).isZero());
    }

    @Test
    void thousandVersionsOfALoopTakeLessThanHalfAMegabyte() {
        PolicyStore store = store(VERSION_BYTES, 10L << 20);
        tell(store, spec("home", BITS));
        for (int version = 1; version <= LoopHistory.MAX_VERSIONS; version++) {
            tell(store, snapshot("home", version));
        }
        store.swap();
        assertThat(store.loop("home").orElseThrow().versions()).hasSize(LoopHistory.MAX_VERSIONS);
        assertThat(store.usedBytes()).isLessThan(500_000);
    }

    private static LoopSpec started(String loop) {
        return spec(loop, BITS)
                .with(LoopSettings.STARTING_POLICY, Optional.of(snapshot(loop, 0, 1)));
    }

    @Test
    void aSpecWithoutRoomIsReadWhenAnotherLoopIsDeleted() {
        PolicyStore store = store(2 * VERSION_BYTES, 2 * VERSION_BYTES);
        for (String loop : List.of("a", "b", "c", "d", "e")) {
            tell(store, started(loop));
        }
        store.takeSpec("c", null); // waits no longer
        store.swap();
        assertThat(store.loops().keySet()).containsExactly("a", "b");
        assertThat(store.refusedLoops().keySet()).containsExactlyInAnyOrder("d", "e");
        assertThat(store.refusedLoops().get("d")).startsWith("its starting policy has no room: ");
        store.takeSpec("a", null);
        store.swap();
        assertThat(store.loops().keySet()).containsExactly("b", "d");
        assertThat(store.refusedLoops().keySet()).containsExactly("e");
        assertThat(store.usedBytes()).isEqualTo(2 * VERSION_BYTES);
        store.takeSpec("b", null);
        store.swap();
        assertThat(store.loops().keySet()).containsExactly("d", "e");
        assertThat(store.refusedLoops()).isEmpty();
        assertThat(refusals).hasSize(3);
    }

    /** Their records take memory as well. */
    @Test
    void fewSpecsWaitForRoom() {
        PolicyStore store = store(VERSION_BYTES, VERSION_BYTES);
        tell(store, started("a"));
        for (int loop = 0; loop < 100; loop++) {
            tell(store, started("waits-" + loop));
        }
        store.swap();
        int served = 0;
        String last = "a";
        while (store.size() == 1) {
            store.takeSpec(last, null);
            store.swap();
            served++;
            last = store.loops().isEmpty() ? "" : store.loops().firstKey();
        }
        assertThat(served).isBetween(2, 50);
    }

    /** A mixed logit has a copy of the model of its own if the inverse temperature is not 1. */
    @Test
    void theScaledModelOfAMixedLogitTakesMemory() {
        for (int temperature = 1; temperature <= 2; temperature++) {
            PolicyStore store = store(VERSION_BYTES, 10 * VERSION_BYTES);
            String json =
                    "{\"bits\":%d,\"policy\":\"mixedLogit\",\"propensityKind\":\"upperBound\",\"variance\":0.1,\"inverseTemperature\":%d}";
            LoopSpec spec = PolicyStoreFixture.spec("home", 1, json.formatted(BITS, temperature));
            tell(store, spec);
            store.swap();
            assertThat(store.usedBytes()).as("zeros").isZero();
            store.takeSpec("home", null);
            tell(
                    store,
                    spec
                            .with(LoopSettings.STARTING_POLICY, Optional.of(snapshot("home", 0, 1)))
                            .toBuilder()
                            .at(1, spec.time().plusSeconds(1))
                            .build());
            store.swap();
            assertThat(store.usedBytes()).isEqualTo(temperature * VERSION_BYTES);
        }
    }

    @Test
    void replacedSpecsAreForgottenWithTheirStartingPolicies() {
        PolicyStore store = store(VERSION_BYTES, 10 * VERSION_BYTES);
        LoopSpec first = started("home");
        tell(store, first);
        tell(store, first.toBuilder().at(2, first.time().plusSeconds(1)).build());
        store.swap();
        assertThat(store.usedBytes()).as("two specs").isEqualTo(2 * VERSION_BYTES);
        RolloutRecord rollout =
                new PolicyStoreFixture("home")
                        .spec(spec("home", BITS))
                        .active(0, 2)
                        .served()
                        .rollout()
                        .orElseThrow();
        store.takeRollout("home", WireCodec.of(RolloutRecord.class).encode(rollout));
        store.swap();
        tell(store, first.toBuilder().at(3, first.time().plusSeconds(2)).build());
        store.swap();
        assertThat(store.usedBytes()).as("in force and newest").isEqualTo(2 * VERSION_BYTES);
    }
}
