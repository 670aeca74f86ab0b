package io.counterflow.flink.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.flink.savepoint.Savepoint;
import io.counterflow.flink.savepoint.UnusableSavepointException;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.runtime.SavepointLoader;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loops in the state of the operator, on disk; an IT because it writes files. */
final class SavepointIT {

    private static final LoopOperatorConfig CONFIG = LoopOperatorConfig.defaults();
    private static final long SEED = 5;

    @TempDir private Path directory;

    static Stream<StateBackend> backends() {
        return Stream.of(new HashMapStateBackend(), new EmbeddedRocksDBStateBackend(true));
    }

    /** Stores the state of a harness as a savepoint of one operator. */
    private String store(OperatorSubtaskState state, String uid) throws IOException {
        OperatorState operator =
                new OperatorState(
                        null,
                        uid,
                        OperatorIdentifier.forUid(uid).getOperatorId(),
                        1,
                        LoopHarness.MAX_PARALLELISM);
        operator.putState(0, state);
        Path savepoint = Files.createDirectory(directory.resolve("savepoint-" + uid));
        try (DataOutputStream out =
                new DataOutputStream(Files.newOutputStream(savepoint.resolve("_metadata")))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(
                            7,
                            List.of(operator),
                            List.of(),
                            CheckpointProperties.forSavepoint(false, SavepointFormatType.NATIVE)),
                    out);
        }
        return savepoint.toString();
    }

    private String store(LoopHarness harness) throws Exception {
        return store(harness.snapshot(), LoopOperator.UID);
    }

    /** Opens a harness with the state of a savepoint that the tool has written. */
    private static LoopHarness restore(Path savepoint) throws Exception {
        return LoopHarness.open(CONFIG, new EmbeddedRocksDBStateBackend(), onlySubtask(savepoint));
    }

    private static OperatorSubtaskState onlySubtask(Path savepoint) throws IOException {
        CheckpointMetadata metadata = SavepointLoader.loadSavepointMetadata(savepoint.toString());
        assertThat(metadata.getCheckpointId()).isEqualTo(7);
        return metadata.getOperatorStates().iterator().next().getState(0);
    }

    private static void play(LoopHarness harness, List<DrawnLoopEvents.Step> steps)
            throws Exception {
        for (DrawnLoopEvents.Step step : steps) {
            step.play(harness);
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void theOtherLoopsContinueWithTheSameBytes(StateBackend backend) throws Exception {
        List<DrawnLoopEvents.Step> steps = new DrawnLoopEvents(SEED).steps();
        List<DrawnLoopEvents.Step> rest = steps.subList(steps.size() / 2, steps.size());
        LoopResults before;
        LoopResults uninterrupted;
        String savepoint;
        try (LoopHarness harness = LoopHarness.open(CONFIG, backend, null)) {
            play(harness, steps.subList(0, steps.size() / 2));
            before = harness.results();
            savepoint = store(harness);
            play(harness, rest);
            uninterrupted = harness.results();
        }
        Path output = directory.resolve("without");
        Savepoint.open(savepoint).writeWithout(List.of("gated", "hashed"), output.toString());
        assertThat(Savepoint.open(output.toString()).names())
                .containsExactly("bayesian", "dense", "listed", "manual", "nobody");
        assertThat(Savepoint.open(savepoint).names())
                .as("the old one is as it was")
                .containsAll(DrawnLoopEvents.LOOPS);
        try (LoopHarness harness = restore(output)) {
            play(harness, rest);
            LoopResults both = before.and(harness.results());
            for (String loop : List.of("bayesian", "dense", "listed", "manual")) {
                assertThat(both.of(loop)).as(loop).isEqualTo(uninterrupted.of(loop));
            }
            assertThat(harness.results().of("gated")).isEqualTo(LoopResults.NONE);
            assertThat(harness.results().rules()).contains("UNKNOWN_LOOP");
        }
    }

    /** The job compares the markers in it with the results in Kafka. */
    @Test
    void theOperatorStateIsCopied() throws Exception {
        String savepoint;
        OperatorSubtaskState before;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(LoopEvents.specEvent("home", 1, 0));
            before = harness.snapshot();
            savepoint = store(before, LoopOperator.UID);
        }
        Path output = directory.resolve("without");
        Savepoint.open(savepoint).writeWithout(List.of("home"), output.toString());
        assertThat(operatorState(before)).containsKey("checkpoint-markers");
        assertThat(operatorState(onlySubtask(output))).isEqualTo(operatorState(before));
    }

    /** The bytes of the operator state by name. */
    private static Map<String, String> operatorState(OperatorSubtaskState state)
            throws IOException {
        Map<String, String> bytes = new TreeMap<>();
        for (OperatorStateHandle handle : state.getManagedOperatorState()) {
            try (InputStream in = handle.openInputStream()) {
                String all = HexFormat.of().formatHex(in.readAllBytes());
                handle.getStateNameToPartitionOffsets()
                        .forEach((name, at) -> bytes.put(name, at + " in " + all));
            }
        }
        return bytes;
    }

    /** The operator sets the end of a window only when a loop takes an event. */
    @ParameterizedTest
    @MethodSource("backends")
    void openWindowsOfTheOtherLoopsEndWithoutAnEvent(StateBackend backend) throws Exception {
        String savepoint;
        try (LoopHarness harness = LoopHarness.open(CONFIG, backend, null)) {
            for (String loop : List.of("home", "mail")) {
                harness.take(LoopEvents.specEvent(loop, 1, 0));
                harness.take(LoopEvents.examples(loop, 0, 10));
            }
            savepoint = store(harness);
        }
        SavedLoop home = Savepoint.open(savepoint).read("home");
        assertThat(home.paneStartsMs()).hasSize(1);
        assertThat(home.nextWindowEndMs()).hasValue(home.paneStartsMs().get(0) + 1_000);
        Path output = directory.resolve("without");
        Savepoint.open(savepoint).writeWithout(List.of("mail"), output.toString());
        try (LoopHarness harness = restore(output)) {
            assertThat(harness.results().windows()).isEmpty();
            harness.watermark(2_000);
            assertThat(harness.results().windows()).hasSize(1);
            assertThat(harness.results().windows().get(0).getLoop()).isEqualTo("home");
        }
    }

    @Test
    void nothingIsLeftOfADeletedLoop() throws Exception {
        String savepoint;
        try (LoopHarness harness =
                LoopHarness.openWithFiles(
                        CONFIG, LoopOperator.Source.LIVE, directory.resolve("snapshots"), null)) {
            harness.take(LoopEvents.specEvent("home", 1, 0));
            harness.take(LoopEvents.examples("home", 0, 100));
            harness.take(LoopEvents.examples("early", 0, 3));
            savepoint = store(harness);
        }
        Path output = directory.resolve("without");
        Savepoint.open(savepoint).writeWithout(List.of("home", "early"), output.toString());
        assertThat(Savepoint.open(output.toString()).names()).isEmpty();
        try (LoopHarness harness =
                LoopHarness.open(CONFIG, new HashMapStateBackend(), onlySubtask(output))) {
            assertThat(harness.stateEntries()).isZero();
        }
    }

    /** The journal has no deletion of such a loop. */
    @Test
    void aReplayFollowsALoopThatStartsAgainAfterItWasDeleted() throws Exception {
        List<LoopEvent> journal = new ArrayList<>();
        LoopResults live;
        String savepoint;
        try (LoopHarness harness = LoopHarness.open()) {
            for (String loop : List.of("home", "mail")) {
                harness.take(LoopEvents.specEvent(loop, 1, 0));
                harness.take(LoopEvents.examples(loop, 0, 100));
            }
            savepoint = store(harness);
            journal.addAll(harness.journal());
            live = harness.results();
        }
        Path output = directory.resolve("without");
        Savepoint.open(savepoint).writeWithout(List.of("mail"), output.toString());
        try (LoopHarness harness = restore(output)) {
            harness.take(LoopEvents.specEvent("mail", 1, 1_000));
            for (String loop : List.of("home", "mail")) {
                harness.take(LoopEvents.examples(loop, 100, 200));
            }
            journal.addAll(harness.journal());
            live = live.and(harness.results());
        }
        assertThat(journal)
                .filteredOn(it -> it.kind() == LoopEventKind.SPEC)
                .extracting(LoopEvent::sequence)
                .containsExactly(1L, 1L, 1L);
        try (LoopHarness harness = LoopHarness.replay(CONFIG, new HashMapStateBackend(), null)) {
            harness.take(journal);
            assertThat(harness.results()).isEqualTo(live);
        }
    }

    @Test
    void aLoopWhoseStateCannotBeReadIsListedAndDeleted() throws Exception {
        String savepoint;
        try (LoopHarness harness = LoopHarness.open()) {
            for (String loop : List.of("home", "mail", "other")) {
                harness.take(LoopEvents.specEvent(loop, 1, 0));
                harness.take(LoopEvents.examples(loop, 0, 10));
            }
            savepoint = store(harness);
        }
        Path damaged = directory.resolve("damaged");
        Savepoint.open(savepoint).writeWithout(List.of("other"), damaged.toString());
        damageFirst(WireCodec.of(LoopStateRecord.class).encode(state(savepoint)), damaged);
        List<SavedLoop> loops = new ArrayList<>();
        Savepoint.open(damaged.toString()).read(loops::add);
        SavedLoop broken =
                loops.stream().filter(it -> it.problem().isPresent()).findFirst().orElseThrow();
        assertThat(broken.problem())
                .hasValue("its state cannot be read: UndecodableRecordException");
        assertThat(broken.versions()).isNotEmpty();
        try (LoopHarness harness = restore(damaged)) {
            harness.take(LoopEvents.example(broken.name(), 10, 1_010));
            assertThat(harness.results().rules()).containsExactly("QUARANTINED");
        }
        Path repaired = directory.resolve("repaired");
        Savepoint.open(damaged.toString())
                .writeWithout(List.of(broken.name()), repaired.toString());
        String other = broken.name().equals("home") ? "mail" : "home";
        assertThat(Savepoint.open(repaired.toString()).names()).containsExactly(other);
        assertThat(take(repaired, other)).isEqualTo(12);
    }

    private static LoopStateRecord state(String savepoint) throws IOException {
        return Savepoint.open(savepoint).read("home").state().orElseThrow();
    }

    /** The number of the next entry of a loop. */
    private static long take(Path savepoint, String loop) throws Exception {
        try (LoopHarness harness = restore(savepoint)) {
            harness.take(LoopEvents.example(loop, 10, 1_010));
            return harness.journal().get(0).sequence();
        }
    }

    /** Changes the fingerprint of the first record of the kind of the given one. */
    private static void damageFirst(byte[] record, Path savepoint) throws IOException {
        byte[] fingerprint = Arrays.copyOf(record, 10); // with the two bytes before it
        for (Path file : files(savepoint)) {
            byte[] bytes = Files.readAllBytes(file);
            for (int i = 0; i + fingerprint.length <= bytes.length; i++) {
                if (Arrays.equals(
                        bytes, i, i + fingerprint.length, fingerprint, 0, fingerprint.length)) {
                    bytes[i + 5] ^= 1;
                    Files.write(file, bytes);
                    return;
                }
            }
        }
        throw new AssertionError("the savepoint has no such record");
    }

    private static List<Path> files(Path savepoint) throws IOException {
        try (Stream<Path> files = Files.list(savepoint)) {
            return files.toList();
        }
    }

    @Test
    void aLoopIsReadWithItsProgressAndItsWindows() throws Exception {
        String savepoint;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(LoopEvents.specEvent("home", 1, 0));
            harness.take(LoopEvents.examples("home", 0, 100));
            harness.take(LoopEvents.examples("early", 0, 3));
            savepoint = store(harness);
        }
        List<SavedLoop> loops = new ArrayList<>();
        Savepoint.open(savepoint).read(loops::add);
        assertThat(loops).extracting(SavedLoop::name).containsExactly("early", "home");
        SavedLoop early = loops.get(0);
        assertThat(early.waitingEvents()).isEqualTo(3);
        assertThat(early.state()).isEmpty();
        SavedLoop home = Savepoint.open(savepoint).read("home");
        assertThat(home).isEqualTo(loops.get(1));
        LoopStateRecord state = home.state().orElseThrow();
        assertThat(state.getSequence()).isEqualTo(101);
        assertThat(state.getProgress().getReceived()).isEqualTo(100);
        assertThat(home.versions()).contains(state.getGate().getActiveVersion());
        assertThat(home.problem()).isEmpty();
    }

    @Test
    void aSavepointOfAnotherJobIsRefused() throws Exception {
        String savepoint;
        try (LoopHarness harness = LoopHarness.open()) {
            savepoint = store(harness.snapshot(), "other");
        }
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> Savepoint.open(savepoint))
                .withMessageContaining("is a savepoint of another job")
                .withMessageContaining("uid \"loop\"");
    }

    @Test
    void whatIsNotASavepointIsRefused() throws Exception {
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> Savepoint.open(directory.resolve("none").toString()))
                .withMessageContaining("is not a savepoint")
                .withMessageContaining("_metadata");
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> Savepoint.open(directory.toString()))
                .withMessageContaining("is not a savepoint");
        Files.writeString(directory.resolve("_metadata"), "broken");
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> Savepoint.open(directory.toString()))
                .withMessageContaining("cannot be read");
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> Savepoint.open("s4://bucket/savepoint-1"))
                .withMessageContaining("copy the savepoint to a local directory");
    }

    @Test
    void aMissingFileIsNamedAndNothingStaysOpen() throws Exception {
        String stored;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(LoopEvents.specEvent("other", 1, 0));
            // Too large for the metadata.
            harness.take(LoopEvents.specEvent("large", 1, 0, it -> LoopEvents.hashed(it, 14)));
            stored = store(harness);
        }
        Path savepoint = directory.resolve("without");
        Savepoint.open(stored).writeWithout(List.of("other"), savepoint.toString());
        List<Path> files = new ArrayList<>(files(savepoint));
        files.remove(savepoint.resolve("_metadata"));
        assertThat(files).hasSize(1);
        Files.delete(files.get(0));
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Savepoint.open(savepoint.toString()).names())
                .withMessageContaining("the state of subtask 0 of " + savepoint)
                .withMessageContaining(files.get(0).getFileName().toString());
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("IOManager"));
    }

    @Test
    void anUnknownLoopAndAnExistingOutputAreRefusedAndNothingIsWritten() throws Exception {
        String stored;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(LoopEvents.specEvent("home", 1, 0));
            stored = store(harness);
        }
        Savepoint savepoint = Savepoint.open(stored);
        Path output = directory.resolve("without");
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> savepoint.writeWithout(List.of("hmoe"), output.toString()))
                .withMessageContaining("has no loop \"hmoe\"; did you mean \"home\"?");
        assertThat(output).doesNotExist();
        Files.createDirectory(output);
        assertThatExceptionOfType(UnusableSavepointException.class)
                .isThrownBy(() -> savepoint.writeWithout(List.of("home"), output.toString()))
                .withMessageContaining("exists; give a directory that does not exist");
        assertThat(output).isEmptyDirectory();
    }
}
