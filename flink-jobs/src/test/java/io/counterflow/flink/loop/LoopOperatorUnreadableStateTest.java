package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.deletion;
import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.VersionParametersRecord;
import io.counterflow.schemas.wire.PackedNumbers;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A loop whose stored state cannot be restored costs this loop, not the job. */
final class LoopOperatorUnreadableStateTest {

    /** What is wrong with the stored state of a loop. */
    enum Damage {
        PARAMETERS_OF_THE_WRONG_LENGTH("learned") {
            @Override
            byte[] of(byte[] stored) throws UndecodableRecordException {
                WireCodec<LearnedStateRecord> codec = WireCodec.of(LearnedStateRecord.class);
                LearnedStateRecord record = codec.decode(stored);
                record.setParameters(PackedNumbers.pack(new float[] {1.0f}));
                return codec.encode(record);
            }
        },
        UNKNOWN_SCHEMA("loop") {
            @Override
            byte[] of(byte[] stored) {
                byte[] changed = stored.clone();
                changed[5] ^= 1; // of the fingerprint
                return changed;
            }
        },
        TRUNCATED_STATE("loop") {
            @Override
            byte[] of(byte[] stored) {
                return Arrays.copyOf(stored, stored.length / 2);
            }
        },
        TRUNCATED_SPECS("specs") {
            @Override
            byte[] of(byte[] stored) {
                return Arrays.copyOf(stored, 12);
            }
        },
        VERSION_OF_THE_WRONG_LENGTH("versions") {
            @Override
            byte[] of(byte[] stored) throws UndecodableRecordException {
                WireCodec<VersionParametersRecord> codec =
                        WireCodec.of(VersionParametersRecord.class);
                VersionParametersRecord record = codec.decode(stored);
                record.setParameters(PackedNumbers.pack(new float[] {1.0f}));
                return codec.encode(record);
            }
        },
        TRUNCATED_VERSION("versions") {
            @Override
            byte[] of(byte[] stored) {
                return Arrays.copyOf(stored, 12);
            }
        },
        TRUNCATED_PANE("panes") {
            @Override
            byte[] of(byte[] stored) {
                return Arrays.copyOf(stored, 12);
            }
        },
        TRUNCATED_EXAMPLES("open-examples") {
            @Override
            byte[] of(byte[] stored) {
                return Arrays.copyOf(stored, stored.length - 1);
            }
        };

        private static final Set<String> SINGLE = Set.of("loop", "specs", "learned");

        private final String state;

        Damage(String state) {
            this.state = state;
        }

        abstract byte[] of(byte[] stored) throws Exception;

        /** Damages the state of a loop and returns what repairs it. */
        Repair apply(LoopHarness harness, String loop) throws Exception {
            if (SINGLE.contains(state)) {
                ValueState<byte[]> value = harness.storedValue(loop, state);
                byte[] before = value.value();
                value.update(of(before));
                return after -> after.storedValue(loop, state).update(before);
            }
            MapState<Long, byte[]> values = harness.storedValues(loop, state);
            long number = values.keys().iterator().next();
            byte[] before = values.get(number);
            values.put(number, of(before));
            return after -> after.storedValues(loop, state).put(number, before);
        }
    }

    /** Repairs a state, as a release that can read it does. */
    @FunctionalInterface
    interface Repair {
        void in(LoopHarness harness) throws Exception;
    }

    private static LoopHarness open(@Nullable OperatorSubtaskState state) throws Exception {
        return LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    private static void start(LoopHarness harness) throws Exception {
        for (String loop : List.of("broken", "home")) {
            harness.take(specEvent(loop, 1, 0));
            harness.take(examples(loop, 0, 50));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLoopIsQuarantinedUntilAReleaseCanReadItAndTheOthersContinue(Damage damage)
            throws Exception {
        OperatorSubtaskState state;
        LoopResults before;
        LoopResults uninterrupted;
        Repair repair;
        try (LoopHarness harness = open(null)) {
            start(harness);
            before = harness.results();
            harness.checkpoint(1);
            repair = damage.apply(harness, "broken");
            state = harness.checkpoint(2);
            harness.take(examples("home", 50, 70));
            harness.take(examples("broken", 100, 150));
            harness.watermark(2_000);
            harness.take(examples("home", 70, 100));
            harness.watermark(5_000);
            uninterrupted = harness.results();
        }
        try (LoopHarness harness = open(state)) {
            harness.take(examples("broken", 50, 52));
            assertThat(harness.gauge("quarantined_loops")).isOne();
            assertThat(harness.results().rules()).containsExactly("QUARANTINED", "QUARANTINED");
            assertThat(harness.results().deadLetters())
                    .extracting(DeadLetterRecord::getReason)
                    .allMatch(it -> it.contains("its state cannot be restored"));
            harness.take(examples("home", 50, 70));
            harness.watermark(2_000); // windows of both loops are over
            assertThat(harness.results().windows()).isNotEmpty();
            before = before.and(harness.results());
            state = harness.checkpoint(3);
        }
        try (LoopHarness harness = open(state)) {
            harness.take(example("broken", 52, 3_000));
            assertThat(harness.results().rules()).as("after a restart").hasSize(1);
            assertThat(harness.gauge("quarantined_loops")).isOne();
            harness.take(examples("home", 70, 100));
            harness.watermark(5_000);
            LoopResults both = before.and(harness.results());
            assertThat(both.of("home")).isEqualTo(uninterrupted.of("home"));
            assertThat(harness.results().of("broken")).isEqualTo(LoopResults.NONE);
            repair.in(harness);
            state = harness.checkpoint(4);
        }
        try (LoopHarness harness = open(state)) {
            assertThat(harness.gauge("quarantined_loops")).isZero();
            harness.take(examples("broken", 100, 150));
            harness.watermark(5_000);
            assertThat(before.of("broken").and(harness.results()).of("broken"))
                    .isEqualTo(uninterrupted.of("broken"));
            assertThat(harness.journal().get(0).sequence()).isEqualTo(52);
        }
    }

    @Test
    void openWindowsOfALoopThatCouldNotBeRestoredEndWithoutAnEvent() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = open(null)) {
            start(harness);
            harness.checkpoint(1);
            Repair repair = Damage.UNKNOWN_SCHEMA.apply(harness, "broken");
            state = harness.checkpoint(2);
            try (LoopHarness quarantined = open(state)) {
                quarantined.take(example("broken", 50, 1_100));
                quarantined.watermark(2_000);
                repair.in(quarantined);
                state = quarantined.checkpoint(3);
            }
        }
        try (LoopHarness harness = open(state)) {
            harness.watermark(2_000);
            assertThat(harness.results().of("broken").windows()).hasSize(1);
        }
    }

    /** The number of the entry is unknown, so a replay has to do without it. */
    @ParameterizedTest
    @EnumSource
    void aReplayFollowsALoopThatIsDeletedAndStartsAgain(Damage damage) throws Exception {
        OperatorSubtaskState state;
        List<LoopEvent> first;
        try (LoopHarness harness = open(null)) {
            start(harness);
            first = harness.journal();
            harness.checkpoint(1);
            Repair unused = damage.apply(harness, "broken");
            state = harness.checkpoint(2);
        }
        List<LoopEvent> second;
        try (LoopHarness harness = open(state)) {
            harness.take(example("broken", 50, 2_000));
            harness.take(deletion("broken", 3_000));
            assertThat(harness.gauge("quarantined_loops")).isZero();
            assertThat(harness.results().tombstones()).contains("broken");
            harness.take(specEvent("broken", 1, 4_000));
            harness.take(examples("broken", 60, 70));
            assertThat(harness.results().rules()).containsExactly("QUARANTINED");
            second = harness.journal();
        }
        try (LoopHarness harness = replay(null)) {
            harness.take(first);
            harness.take(second);
            assertThat(harness.results().of("broken").kinds())
                    .filteredOn("STARTED"::equals)
                    .hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReplayGoesOnWithoutALoopThatItCannotRestore(Damage damage) throws Exception {
        List<LoopEvent> journal;
        try (LoopHarness harness = open(null)) {
            start(harness);
            harness.take(examples("broken", 50, 60));
            harness.take(examples("home", 50, 60));
            journal = harness.journal();
        }
        int half = journal.size() - 20;
        OperatorSubtaskState state;
        try (LoopHarness harness = replay(null)) {
            harness.take(journal.subList(0, half));
            harness.checkpoint(1);
            Repair unused = damage.apply(harness, "broken");
            state = harness.checkpoint(2);
        }
        try (LoopHarness harness = replay(state)) {
            harness.take(journal.subList(half, journal.size()));
            assertThat(harness.results().rules()).containsOnly("QUARANTINED").hasSize(10);
            assertThat(harness.gauge("quarantined_loops")).isEqualTo(1L);
        }
    }

    private static LoopHarness replay(@Nullable OperatorSubtaskState state) throws Exception {
        return LoopHarness.replay(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    @Test
    void aQuarantineThatCannotBeReadStaysAQuarantine() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = open(null)) {
            start(harness);
            harness.checkpoint(1);
            harness.storedValue("broken", "quarantine").update(new byte[] {1});
            state = harness.checkpoint(2);
        }
        try (LoopHarness harness = open(state)) {
            harness.take(example("broken", 50, 2_000));
            harness.take(example("home", 50, 2_000));
            assertThat(harness.results().rules()).containsExactly("QUARANTINED");
            assertThat(harness.journal())
                    .extracting(LoopEvent::kind)
                    .containsExactly(LoopEventKind.EXAMPLE);
        }
    }
}
