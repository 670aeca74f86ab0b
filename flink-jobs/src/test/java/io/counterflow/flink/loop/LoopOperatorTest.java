package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.command;
import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.register;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class LoopOperatorTest {

    @Test
    void aLoopLearnsAndFreezesSnapshotsThatVerify() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 100));
            harness.watermark(5_000);
            LoopResults results = harness.results();

            assertThat(results.snapshots()).hasSize(2);
            PolicySnapshot first = SnapshotConversion.fromRecord(results.snapshots().get(0));
            assertThat(first.version()).isEqualTo(1);
            assertThat(first.parentVersion()).hasValue(0);
            assertThat(first.training().specVersion()).isEqualTo(1);
            assertThat(first.certificate()).isPresent();
            assertThat(results.kinds()).containsExactly("STARTED", "PROMOTED", "PROMOTED");
            assertThat(results.rollouts().get(2).getActiveVersion()).isEqualTo(2);
            assertThat(results.rollouts().get(2).getPreviousVersion()).isEqualTo(1);
            assertThat(harness.count("learned")).isEqualTo(100);
            assertThat(harness.count("snapshots")).isEqualTo(2);
        }
    }

    @Test
    void anExampleThatDoesNotFitCostsItselfAndNothingElse() throws Exception {
        LoopEvent wrongSize =
                example(
                        "home",
                        "odd",
                        1_050,
                        new Context.Vector(DenseVector.of(1, 2)),
                        Choice.of(0, 0.5),
                        0,
                        1.0);
        LoopEvent wrongAction =
                example(
                        "home",
                        "odder",
                        1_050,
                        new Context.Vector(DenseVector.of(1, 2, 3, 4)),
                        Choice.of(3, 0.5),
                        0,
                        1.0);
        LoopEvent tooLarge =
                example(
                        "home",
                        "oddest",
                        1_050,
                        new Context.Vector(DenseVector.of(1e30f, 0, 0, 0)),
                        Choice.of(0, 0.5),
                        0,
                        1.0);
        LoopResults without = resultsOf(List.of());
        LoopResults with = resultsOf(List.of(wrongSize, wrongAction, tooLarge));

        assertThat(with.snapshots()).isEqualTo(without.snapshots());
        assertThat(with.rollouts()).isEqualTo(without.rollouts());
        assertThat(with.windows()).isNotEmpty().isEqualTo(without.windows());
        assertThat(with.rules()).hasSize(3).containsOnly("EXAMPLE");
        DeadLetterRecord letter = with.deadLetters().get(0);
        assertThat(letter.getReason()).isEqualTo("context must have 4 features, got 2");
        assertThat(letter.getOffset()).isEqualTo(17);
    }

    private static LoopResults resultsOf(List<LoopEvent> besides) throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            List<LoopEvent> events = new ArrayList<>(examples("home", 0, 100));
            events.add(specEvent("home", 1, 0));
            events.addAll(besides);
            harness.takeByTime(events);
            harness.end();
            return harness.results();
        }
    }

    @Test
    void aCommandIsExecutedWhenItArrivesHoweverOldItIs() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 50));
            harness.watermark(20_000);
            harness.take(command("home", "c-1", 500, RolloutActionRecord.PAUSE, null, null));
            LoopResults results = harness.results();
            RolloutRecord paused = results.rollouts().get(results.rollouts().size() - 1);
            assertThat(paused.getKind().name()).isEqualTo("PAUSED");
            assertThat(paused.getCommandId()).isEqualTo("c-1");
            assertThat(paused.getRequestedBy()).isEqualTo("anna");
            assertThat(results.rollouts().get(0).getRequestedBy())
                    .as("nobody asked for the start")
                    .isNull();
            assertThat(paused.getPaused()).isTrue();
            assertThat(paused.getCommandId()).isEqualTo("c-1");
            assertThat(paused.getReason()).isEqualTo("because");
            assertThat(paused.getTime())
                    .as("time does not go back")
                    .isAfter(Feedback.START.plusMillis(1_048));
        }
    }

    /** Prefers action a where coordinate a is high, as the examples reward it. */
    private static PolicySnapshot trained(int features) {
        float[][] weights = new float[LoopEvents.ACTIONS][features];
        for (int a = 0; a < weights.length; a++) {
            weights[a][a] = 3;
        }
        return new PolicySnapshot(
                "elsewhere",
                12,
                OptionalLong.of(11),
                Instant.EPOCH,
                new DenseModel(weights, new float[LoopEvents.ACTIONS]),
                Optional.empty(),
                DecisionRule.PLAIN,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                new Training(
                        "poem", OptionalDouble.of(0.5), OptionalDouble.empty(), 900, true, "", 0),
                Optional.empty());
    }

    @Test
    void aRegisteredSnapshotIsComparedAndPromoted() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(
                    specEvent(
                            "home",
                            1,
                            0,
                            it -> {
                                it.setRolloutMode("gated");
                                it.setCanaryShare(0.0);
                                it.setLearningRate(1e-9); // its own candidates are not better
                            }));
            harness.take(examples("home", 0, 50));
            harness.take(register("home", "c-1", 1_050, trained(LoopEvents.FEATURES)));
            harness.take(examples("home", 50, 3_000));
            harness.end();
            LoopResults results = harness.results();
            RolloutRecord registered = only(results, "REGISTERED");
            assertThat(registered.getRegisteredVersions()).containsExactly(2L);
            assertThat(registered.getCommandId()).isEqualTo("c-1");
            assertThat(registered.getReason()).isEqualTo("version 2: because");
            RolloutRecord promoted = only(results, "PROMOTED");
            assertThat(promoted.getActiveVersion()).isEqualTo(2);
            assertThat(promoted.getRegisteredVersions()).isEmpty();
            assertThat(promoted.getDifferenceLowerBound()).isPositive();

            PolicySnapshot published = SnapshotConversion.fromRecord(results.snapshots().get(1));
            assertThat(published.loop()).isEqualTo("home");
            assertThat(published.version()).isEqualTo(2);
            assertThat(published.parentVersion()).as("the active version").hasValue(0);
            assertThat(published.certificate()).isEmpty();
            assertThat(published.decisionRule().explorationFloor()).isEqualTo(0.05);
            assertThat(published.training().objective()).isEqualTo("poem");
            assertThat(published.training().lambda()).hasValue(0.5);
            assertThat(published.training().tau()).isEmpty();
            assertThat(published.training().examples()).isEqualTo(900);
            assertThat(published.training().propensitiesEstimated()).isTrue();
            assertThat(published.training().specVersion()).isEqualTo(1);
        }
    }

    @Test
    void aLearnedVarianceIsStoredAndPublishedWithItsVersion() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, LoopEvents::bayesian));
            harness.take(examples("home", 0, 1_000));
            harness.end();
            List<PolicySnapshotRecord> published = harness.results().snapshots();
            assertThat(published).hasSize(25);
            for (PolicySnapshotRecord record : published) {
                PolicySnapshot snapshot = SnapshotConversion.fromRecord(record);
                assertThat(snapshot.training().objective()).isEqualTo("bcrm");
                assertThat(snapshot.decisionRule().kind()).isEqualTo(PolicyKind.MIXED_LOGIT);
                assertThat(snapshot.decisionRule().variance()).isEqualTo(snapshot.variance());
                assertThat(snapshot.variance().orElseThrow()).isBetween(1e-6, 0.5);
                // 40 examples: 1/(σ₀² τ (n − 1))
                assertThat(snapshot.training().lambda().orElseThrow())
                        .isCloseTo(1.0 / (0.5 * 0.3 * 39), within(1e-12));
            }
        }
    }

    private static RolloutRecord only(LoopResults results, String kind) {
        List<RolloutRecord> found =
                results.rollouts().stream().filter(it -> it.getKind().name().equals(kind)).toList();
        assertThat(found).as(kind).hasSize(1);
        return found.get(0);
    }

    @Test
    void aSnapshotThatCannotBeRegisteredIsRefusedWithTheReason() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, it -> it.setRolloutMode("manual")));
            harness.take(specEvent("news", 1, 0)); // in immediate mode
            harness.take(register("home", "c-1", 10, trained(LoopEvents.FEATURES + 1)));
            harness.take(register("news", "c-2", 10, trained(LoopEvents.FEATURES)));
            harness.end();
            LoopResults results = harness.results();
            assertThat(results.deadLetters()).isEmpty();
            assertThat(results.snapshots()).isEmpty();
            assertThat(results.rollouts())
                    .filteredOn(it -> it.getKind().name().equals("REFUSED"))
                    .extracting(RolloutRecord::getReason)
                    .anyMatch(it -> it.contains("must have the loop's shape (3 actions x 4"))
                    .anyMatch(it -> it.contains("set rolloutMode to gated or manual"))
                    .hasSize(2);
        }
    }

    @Test
    void peopleCanPromoteReturnAndAreToldWhatCannotBeDone() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0, it -> it.setRolloutMode("manual")));
            harness.take(examples("home", 0, 100));
            harness.take(command("home", "1", 2_000, RolloutActionRecord.PROMOTE, null, null));
            harness.take(command("home", "2", 2_001, RolloutActionRecord.PROMOTE, 7L, null));
            harness.take(command("home", "3", 2_002, RolloutActionRecord.CANARY, 1L, 0.2));
            harness.take(command("home", "4", 2_003, RolloutActionRecord.ROLLBACK, null, null));
            harness.take(command("home", "5", 2_004, RolloutActionRecord.ROLLBACK, 0L, null));
            harness.end();
            LoopResults results = harness.results();
            assertThat(results.kinds())
                    .containsExactly(
                            "STARTED",
                            "CANDIDATE",
                            "CANDIDATE",
                            "PROMOTED",
                            "REFUSED",
                            "CANARY",
                            "CANARY_ENDED",
                            "ROLLED_BACK");
            assertThat(results.rollouts().get(4).getReason())
                    .isEqualTo("version 7 is not one of the stored versions");
            RolloutRecord last = results.rollouts().get(7);
            assertThat(last.getActiveVersion()).isZero();
            assertThat(last.getSequence()).isEqualTo(8);
        }
    }

    @Test
    void aSpecThatOnlyConcernsWhatIsToComeIsInForceAtOnce() throws Exception {
        LoopResults results =
                resultsOf(List.of(specEvent("home", 2, 1_010, it -> it.setLearningRate(0.5))));
        assertThat(results.kinds())
                .containsExactly("STARTED", "SPEC_CHANGED", "PROMOTED", "PROMOTED");
        assertThat(results.rollouts().get(1).getSpecVersion()).isEqualTo(2);
        assertThat(results.snapshots().get(0).getSpecVersion()).isEqualTo(2);
    }

    @Test
    void aSpecThatChangesWhatWasLearnedWaitsForTheNextGeneration() throws Exception {
        LoopResults results =
                resultsOf(List.of(specEvent("home", 2, 1_010, it -> it.setLambda(0.1))));
        assertThat(results.kinds())
                .containsExactly("STARTED", "SPEC_WAITS", "PROMOTED", "SPEC_CHANGED", "PROMOTED");
        assertThat(results.rollouts())
                .extracting(RolloutRecord::getSpecVersion)
                .containsExactly(1L, 1L, 1L, 2L, 2L);
        assertThat(results.snapshots())
                .extracting(PolicySnapshotRecord::getLambda)
                .containsExactly(0.000001, 0.1);
    }

    @Test
    void aSpecOfAnotherShapeOrAnOldVersionIsRefusedOnRecord() throws Exception {
        LoopResults results =
                resultsOf(
                        List.of(
                                specEvent(
                                        "home",
                                        2,
                                        1_010,
                                        it -> {
                                            it.setFeatures(5L);
                                            it.setActions(it.getActions().subList(0, 2));
                                        }),
                                specEvent("home", 1, 1_011)));
        assertThat(results.kinds())
                .containsExactly("STARTED", "SPEC_REFUSED", "SPEC_REFUSED", "PROMOTED", "PROMOTED");
        assertThat(results.rollouts().get(1).getReason())
                .isEqualTo(
                        "spec version 2; features: the parameters belong to the old features or"
                                + " actions; create a new loop; actions: with context vectors an"
                                + " action is identified by its position, with named features by its"
                                + " id and features");
        assertThat(results.rollouts().get(2).getReason())
                .isEqualTo("spec version 1; version must be above 1");
    }

    @Test
    void aSpecThatIsNoneIsADeadLetter() throws Exception {
        LoopResults results =
                resultsOf(List.of(specEvent("home", 2, 1_010, it -> it.setTau(Double.NaN))));
        assertThat(results.rules()).containsExactly("SPEC");
        assertThat(results.kinds()).containsExactly("STARTED", "PROMOTED", "PROMOTED");
    }

    @Test
    void nothingWaitsAnyMoreAtTheEnd() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 500));
            harness.snapshot(); // what waits is in state now
            harness.end();
            harness.snapshot();
            // The loop itself, and of its examples and versions only what is kept.
            assertThat(harness.stateEntries()).isLessThan(3 + 60 + 16);
        }
    }
}
