package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.command;
import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;

/** What examples mean under the spec that they were decided under, and the one in force. */
final class LoopOperatorSpecTest {

    private static final Context VECTOR = new Context.Vector(DenseVector.of(1, 0, 0, 0));

    private static Context named(String json) {
        return new Context.Named(
                new NamedFeaturesJson(JsonLimits.defaults()).read(json), List.of());
    }

    private static void hashed(LoopSpecRecord spec, String... actions) {
        LoopEvents.hashed(spec, 8, actions);
    }

    private static LoopEvent decision(
            String id, long ms, Context context, Choice choice, long specVersion) {
        return example("home", id, ms, context, choice, 0, specVersion, 1.0);
    }

    /** What is in flight when the list changes was decided from the list before. */
    @Test
    void fixedActionsAreThoseOfTheSpecThatDecided() throws Exception {
        Context user = named("{\"user\":{\"age\":3}}");
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, it -> hashed(it, "a", "b")));
            harness.take(specEvent("home", 2, 1_000, it -> hashed(it, "a", "b")));
            harness.take(specEvent("home", 3, 2_000, it -> hashed(it, "c", "a", "b")));
            harness.take(specEvent("home", 4, 3_000, it -> hashed(it, "c", "a", "b", "d")));
            harness.watermark(3_000);
            state = harness.snapshot();
        }
        try (LoopHarness harness = LoopHarness.openScoring(state)) {
            for (int version = 1; version <= 4; version++) {
                harness.take(
                        decision(
                                "e" + version, 4_000 + version, user, Choice.of(1, 0.25), version));
            }
            harness.take(decision("e5", 4_005, user, Choice.of(2, 0.25), 2));
            harness.end();
            assertThat(harness.scored())
                    .extracting(ScoredWindow::actions)
                    .containsExactly(2, 2, 3, 4);
            assertThat(harness.results().deadLetters()).hasSize(1);
        }
    }

    @Test
    void aPropensityIsComputedAgainWhereThatIsPossible() throws Exception {
        try (LoopHarness harness = LoopHarness.openScoring(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(decision("e1", 1_001, VECTOR, Choice.of(0, 1.0 / 3), 1));
            harness.take(decision("e2", 1_002, VECTOR, Choice.of(0, 0.34), 1));
            harness.take(decision("e3", 1_003, VECTOR, Choice.of(0, 1.0 / 3), 2));
            harness.take(example("home", "e4", 1_004, VECTOR, Choice.of(0, 1.0 / 3), 99, 1.0));
            harness.end();
            assertThat(harness.scored())
                    .extracting(ScoredWindow::audit)
                    .containsExactly("MATCH", "MISMATCH", "NOT_DONE", "NOT_DONE");
        }
    }

    private static Choice excluding(int excluded) {
        return LoopEvents.without(excluded, 1, 0.5);
    }

    @Test
    void whatWasExcludedIsCountedButNotChosenFrom() throws Exception {
        try (LoopHarness harness = LoopHarness.openScoring(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(specEvent("words", 1, 0, it -> hashed(it, "a", "b", "c")));
            harness.take(decision("e", 1_000, VECTOR, excluding(0), 1));
            harness.take(example("words", "e", 1_000, named("{\"x\":1}"), excluding(0), 0, 1.0));
            harness.end();
            assertThat(harness.scored())
                    .hasSize(2)
                    .allSatisfy(
                            judged -> {
                                assertThat(judged.action()).isEqualTo(1);
                                assertThat(judged.actions()).isEqualTo(3);
                                assertThat(judged.weight(JudgedPolicyRecord.UNIFORM)).hasValue(1.0);
                                assertThat(judged.weight(JudgedPolicyRecord.ACTIVE)).hasValue(1.0);
                                assertThat(judged.audit()).isEqualTo("MATCH");
                            });
        }
    }

    /** Features beyond the reach of floats are refused, unless the spec scales them down. */
    @Test
    void aNormBoundCountsFromTheSpecThatAsksForIt() throws Exception {
        Context far = new Context.Vector(DenseVector.of(1e30f, 0, 0, 0));
        Context farWords = named("{\"x\":1e20}");
        try (LoopHarness harness = LoopHarness.openScoring(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(specEvent("words", 1, 0, it -> hashed(it, "a", "b")));
            harness.take(example("home", "e1", 1_000, far, Choice.of(0, 0.3), 0, 1.0));
            harness.take(example("words", "e1", 1_000, farWords, Choice.of(0, 0.5), 0, 1.0));
            harness.take(specEvent("home", 2, 2_000, it -> it.setNormBound(1.0)));
            harness.take(
                    specEvent(
                            "words",
                            2,
                            2_000,
                            it -> {
                                hashed(it, "a", "b");
                                it.setNormBound(1.0);
                            }));
            harness.take(example("home", "e2", 3_000, far, Choice.of(0, 0.3), 0, 1.0));
            harness.take(example("words", "e2", 3_000, farWords, Choice.of(0, 0.5), 0, 1.0));
            harness.end();
            assertThat(harness.results().deadLetters()).hasSize(2);
            assertThat(harness.scored())
                    .extracting(ScoredWindow::loop)
                    .containsExactlyInAnyOrder("home", "words");
        }
    }

    /** On the topic of specs, one that waits or was refused replaces the one in force. */
    @Test
    void theSpecInForceIsPublishedWhenItComesIntoForce() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, it -> it.setRolloutMode("manual")));
            harness.take(examples("home", 0, 100));
            harness.take(
                    specEvent(
                            "home",
                            2,
                            2_000,
                            it -> {
                                it.setRolloutMode("manual");
                                it.setLambda(0.1);
                            }));
            harness.take(specEvent("home", 3, 2_001, it -> it.setFeatures(5L)));
            assertThat(harness.specsInForce("home"))
                    .extracting(LoopSpecRecord::getVersion)
                    .containsExactly(1L);
            harness.take(command("home", "1", 2_002, RolloutActionRecord.PROMOTE, 1L, null));
            harness.end();
            assertThat(harness.results().kinds())
                    .containsSubsequence(
                            "STARTED", "SPEC_WAITS", "SPEC_REFUSED", "PROMOTED", "SPEC_CHANGED");
            assertThat(harness.specsInForce("home"))
                    .extracting(LoopSpecRecord::getVersion, LoopSpecRecord::getLambda)
                    .containsExactly(tuple(1L, 0.000001), tuple(2L, 0.1));
        }
    }

    @Test
    void aSpecMustBeNewerThanTheOneThatWaits() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, it -> it.setRolloutMode("manual")));
            harness.take(examples("home", 0, 20));
            harness.take(specEvent("home", 3, 2_000, it -> it.setLambda(0.1)));
            harness.take(specEvent("home", 2, 2_001, it -> it.setLearningRate(0.5)));
            harness.end();
            assertThat(harness.results().kinds())
                    .containsExactly("STARTED", "SPEC_WAITS", "SPEC_REFUSED");
            assertThat(harness.results().rollouts().get(2).getReason())
                    .isEqualTo("spec version 2; version must be above 3");
        }
    }

    @Test
    void onlyTheNewestVersionsCanStillBePromoted() throws Exception {
        LoopOperatorConfig two =
                new LoopOperatorConfig(
                        1 << 20, 1 << 20, Duration.ofMinutes(1), 1 << 20, 1 << 20, 2, 512L << 20);
        try (LoopHarness harness = LoopHarness.open(two)) {
            harness.take(specEvent("home", 1, 0, it -> it.setRolloutMode("manual")));
            harness.take(examples("home", 0, 200)); // five versions
            harness.take(command("home", "1", 2_000, RolloutActionRecord.PROMOTE, 3L, null));
            harness.take(command("home", "2", 2_001, RolloutActionRecord.PROMOTE, 4L, null));
            harness.end();
            LoopResults results = harness.results();
            assertThat(results.snapshots()).hasSize(5);
            assertThat(results.kinds().subList(6, 8)).containsExactly("REFUSED", "PROMOTED");
        }
    }

    /**
     * An example leaves the state with the last one of its chunk, and a smaller buffer frees whole
     * chunks at once.
     */
    @Test
    void stateHoldsTheBufferAndLessThanOneMoreChunk() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(
                    specEvent(
                            "home",
                            1,
                            0,
                            it -> {
                                it.setRolloutMode("manual");
                                it.setBufferCapacity(500);
                            }));
            harness.take(examples("home", 0, 900));
            harness.watermark(9_000);
            long full = harness.snapshot().getStateSize();
            harness.take(examples("home", 900, 1_800));
            harness.watermark(19_000);
            // One chunk of 64 examples, and the rest of the loop's state varies a little.
            assertThat(harness.snapshot().getStateSize()).isBetween(full - 8_000, full + 8_000);
            harness.take(
                    specEvent(
                            "home",
                            2,
                            3_000,
                            it -> {
                                it.setRolloutMode("manual");
                                it.setBufferCapacity(10);
                            }));
            harness.watermark(29_000);
            long minExampleBytes = 4 * LoopEvents.FEATURES + 16;
            assertThat(harness.snapshot().getStateSize()).isLessThan(full - 400 * minExampleBytes);
        }
    }
}
