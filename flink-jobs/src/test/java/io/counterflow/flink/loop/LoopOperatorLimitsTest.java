package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.WireCodec;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Specs that ask for more than there is: each costs itself, and other loops go on. */
final class LoopOperatorLimitsTest {

    @Test
    void aMiniBatchThatNoHeapHasIsRefused() throws Exception {
        assertRefused(
                it -> {
                    it.setActions(
                            IntStream.range(0, 10_000)
                                    .mapToObj(a -> new NamedActionRecord("a" + a, "{}"))
                                    .toList());
                    it.setBatchSize(10_000_000);
                    it.setBufferCapacity(10_000_000);
                },
                "the loop must need at most");
    }

    @Test
    void aModelThatNoHeapHasIsRefused() throws Exception {
        assertRefused(it -> LoopEvents.hashed(it, 26), "the loop must need at most");
    }

    /** Otherwise a few bytes would make the job allocate 256 MiB. */
    @Test
    void aStartingPolicyIsMeasuredBeforeItIsCreated() throws Exception {
        assertAllocatesLittle(
                () ->
                        assertRefused(
                                it -> it.setStartingPolicy(declared()),
                                "startingPolicy must have at most 48806446 bytes of parameters"
                                        + " (loop.max-loop-size), got 268435456"));
    }

    @Test
    void aRegisteredSnapshotIsMeasuredBeforeItIsCreated() throws Exception {
        RolloutCommandRecord register =
                WireCodec.of(RolloutCommandRecord.class)
                        .decode(
                                Objects.requireNonNull(
                                        LoopEvents.register("home", "c", 1_000, small())
                                                .raw()
                                                .value()));
        register.setSnapshot(declared());
        assertAllocatesLittle(
                () -> {
                    try (LoopHarness harness = LoopHarness.open()) {
                        harness.take(specEvent("home", 1, 0));
                        harness.take(LoopEvents.command(register));
                        harness.take(examples("home", 0, 100));
                        harness.end();
                        assertThat(harness.results().deadLetters())
                                .singleElement()
                                .extracting(DeadLetterRecord::getReason)
                                .asString()
                                .startsWith("snapshot must have at most 48806446 bytes");
                        assertThat(harness.results().snapshots()).hasSize(2);
                    }
                });
    }

    private static PolicySnapshot small() {
        return PolicySnapshot.of(
                "odd",
                1,
                DenseModel.zeros(LoopEvents.ACTIONS, LoopEvents.FEATURES),
                Optional.empty());
    }

    /** A few bytes that declare 2^26 weights. */
    private static PolicySnapshotRecord declared() {
        PolicySnapshotRecord record = SnapshotConversion.toRecord(small());
        record.setModel(
                new HashedWeights(
                        26,
                        PackedNumbers.pack(new int[] {1}),
                        PackedNumbers.pack(new float[] {1f}),
                        List.of("*:*"),
                        true));
        record.setChecksum("");
        try {
            SnapshotConversion.verify(record);
        } catch (InvalidSnapshotException e) {
            String message = String.valueOf(e.getMessage());
            record.setChecksum(message.substring(17, message.indexOf(',')));
        }
        return record;
    }

    private static void assertAllocatesLittle(Callable test) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        test.call();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes")
                .isLessThan(200L << 20);
    }

    /** Part of a test. */
    @FunctionalInterface
    private interface Callable {
        void call() throws Exception;
    }

    @Test
    void aStartingPolicyBeyondTheReachOfFloatsIsRefused() throws Exception {
        assertRefused(it -> it.setStartingPolicy(constant(1, 3e38f)), "startingPolicy");
    }

    @Test
    void aStartingVersionThatCannotBeCountedOnIsRefused() throws Exception {
        assertRefused(it -> it.setStartingPolicy(constant(Long.MAX_VALUE, 1f)), "startingPolicy");
    }

    /** Neither features at their limit nor the steepest softmax lead out of the range of floats. */
    @Test
    void aStartingPolicyAtItsLimitIsLearnedFrom() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(
                    specEvent(
                            "odd",
                            1,
                            0,
                            it -> it.setStartingPolicy(constant(1L << 53, (float) 1e15))));
            harness.take(specEvent("odd", 2, 1, it -> it.setInverseTemperature(1e6)));
            harness.take(examples("odd", 0, 100));
            harness.end();
            assertThat(harness.results().deadLetters()).isEmpty();
            assertThat(harness.results().snapshots())
                    .extracting(PolicySnapshotRecord::getVersion)
                    .containsExactly((1L << 53) + 1, (1L << 53) + 2);
        }
    }

    @Test
    void aRunningLoopRefusesAMiniBatchThatNoHeapHas() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(
                    specEvent(
                            "home",
                            2,
                            1_010,
                            it -> {
                                it.setBatchSize(10_000_000);
                                it.setBufferCapacity(10_000_000);
                            }));
            harness.take(examples("home", 0, 100));
            harness.end();
            assertThat(harness.results().kinds())
                    .containsExactly("STARTED", "SPEC_REFUSED", "PROMOTED", "PROMOTED");
            assertThat(harness.results().rollouts().get(1).getReason())
                    .contains("the loop must need at most 536870912 bytes of heap");
        }
    }

    /** 128 bytes for each example, and those of its features: here there is room for 20. */
    @Test
    void theBufferIsBoundedAlsoWhereFeaturesAreSmall() throws Exception {
        long bytes = 20 * (128 + DenseVector.of(new float[LoopEvents.FEATURES]).bytes());
        LoopOperatorConfig config =
                new LoopOperatorConfig(
                        1 << 20, 1 << 20, Duration.ofMinutes(1), 1 << 20, bytes, 10, 512L << 20);
        try (LoopHarness harness = LoopHarness.open(config)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 40));
            harness.end();
            assertThat(harness.results().snapshots())
                    .singleElement()
                    .satisfies(
                            it ->
                                    assertThat(it.getCertificate().getN())
                                            .as("two mini-batches")
                                            .isEqualTo(16));
        }
    }

    /** Their buffers together are larger than the cache, but do not count. */
    @Test
    void loopsWithLargeBuffersStayInMemory() throws Exception {
        List<String> loops = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        long ofModels = loops.size() * 50_000L;
        LoopOperatorConfig config =
                new LoopOperatorConfig(
                        ofModels, 1, Duration.ofMinutes(1), 1 << 20, 128L << 20, 10, 512L << 20);
        try (LoopHarness harness = LoopHarness.open(config)) {
            for (String loop : loops) {
                harness.take(
                        specEvent(
                                loop,
                                1,
                                0,
                                it -> {
                                    it.setRolloutMode("manual"); // a promotion empties the buffer
                                    it.setBufferCapacity(1_000);
                                }));
            }
            for (int i = 0; i < 600; i += 10) {
                for (String loop : loops) {
                    harness.take(examples(loop, i, i + 10));
                }
            }
            assertThat(600L * loops.size() * 128L).isGreaterThan(ofModels);
            assertThat(harness.count("cold_loads")).isZero();
        }
    }

    @Test
    void anExampleWithMoreFeaturesThanTheLoopAllowsIsADeadLetter() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(
                    specEvent(
                            "home",
                            1,
                            0,
                            it -> {
                                LoopEvents.hashed(it, 8, "a", "b");
                                it.setFeatureLimit(4);
                            }));
            harness.take(named("small", 1)); // two actions with one product each
            harness.take(named("large", 2));
            harness.end();
            assertThat(harness.results().deadLetters())
                    .singleElement()
                    .extracting(DeadLetterRecord::getReason)
                    .asString()
                    .contains("at most 4 features", "(featureLimit), got 6");
        }
    }

    private static LoopEvent named(String eventId, int features) {
        List<NamedFeatures.Entry> entries =
                IntStream.range(0, features)
                        .mapToObj(
                                i -> new NamedFeatures.Entry("x" + i, new FeatureValue.Quantity(1)))
                        .toList();
        return LoopEvents.example(
                "home",
                eventId,
                1_000,
                new Context.Named(new NamedFeatures(entries), List.of()),
                Choice.of(0, 0.5),
                0,
                1.0);
    }

    private static void assertRefused(Consumer<LoopSpecRecord> change, String reason)
            throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("odd", 1, 0, change));
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 100));
            harness.end();
            LoopResults results = harness.results();
            assertThat(results.deadLetters())
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.getRule()).isEqualTo("SPEC"))
                    .extracting(DeadLetterRecord::getReason)
                    .asString()
                    .contains(reason);
            assertThat(results.snapshots()).hasSize(2);
        }
    }

    private static PolicySnapshotRecord constant(long version, float weight) {
        float[][] weights = new float[LoopEvents.ACTIONS][LoopEvents.FEATURES];
        for (float[] row : weights) {
            Arrays.fill(row, weight);
        }
        return SnapshotConversion.toRecord(
                PolicySnapshot.of(
                        "odd",
                        version,
                        new DenseModel(weights, new float[LoopEvents.ACTIONS]),
                        Optional.empty()));
    }
}
