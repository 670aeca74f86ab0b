package io.counterflow.flink.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.flink.savepoint.Savepoint;
import io.counterflow.flink.savepoint.UnusableSavepointException;
import io.counterflow.schemas.record.LoopStateRecord;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
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
                new OperatorState(null, uid, OperatorIdentifier.forUid(uid).getOperatorId(), 1, 1);
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
        CheckpointMetadata metadata = SavepointLoader.loadSavepointMetadata(savepoint.toString());
        assertThat(metadata.getCheckpointId()).isEqualTo(7);
        OperatorState operator = metadata.getOperatorStates().iterator().next();
        return LoopHarness.open(CONFIG, new EmbeddedRocksDBStateBackend(), operator.getState(0));
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

    /** The operator sets a timer only when a loop takes an event. */
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

    @ParameterizedTest
    @MethodSource("backends")
    void nothingIsLeftOfADeletedLoop(StateBackend backend) throws Exception {
        String savepoint;
        try (LoopHarness harness = LoopHarness.open(CONFIG, backend, null)) {
            harness.take(LoopEvents.specEvent("home", 1, 0));
            harness.take(LoopEvents.examples("home", 0, 100));
            harness.take(LoopEvents.examples("early", 0, 3));
            savepoint = store(harness);
        }
        Path output = directory.resolve("without");
        Savepoint.open(savepoint).writeWithout(List.of("home", "early"), output.toString());
        assertThat(Savepoint.open(output.toString()).names()).isEmpty();
        CheckpointMetadata metadata = SavepointLoader.loadSavepointMetadata(output.toString());
        OperatorSubtaskState state = metadata.getOperatorStates().iterator().next().getState(0);
        try (LoopHarness harness = LoopHarness.open(CONFIG, new HashMapStateBackend(), state)) {
            assertThat(harness.stateEntries()).isZero();
            assertThat(harness.timers()).isZero();
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
