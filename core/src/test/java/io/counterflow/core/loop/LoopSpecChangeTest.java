package io.counterflow.core.loop;

import static io.counterflow.core.rollout.ComparedExample.Evidence.OTHER_RULE;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.SpecChange;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** New specs for a loop that runs. */
final class LoopSpecChangeTest {

    /** In manual mode. */
    private static final LoopSpec SPEC =
            Specs.dense().toBuilder()
                    .set(LoopSettings.DELTA, 0.5)
                    .set(LoopSettings.CANDIDATE_EXAMPLES, 60L)
                    .build();

    private static final LoopSpec OTHER_OBJECTIVE = Specs.of(SPEC, ObjectiveName.WNLL_LPR);
    private static final LoopSpec OTHER_RATE = SPEC.with(LoopSettings.LEARNING_RATE, 0.1);
    private static final LoopSpec IMMEDIATE =
            SPEC.with(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE);

    private static LoopSpec at(long version, LoopSpec spec) {
        return spec.toBuilder().at(version, Instant.EPOCH.plusSeconds(version)).build();
    }

    private static LoopRun after(int examples) {
        LoopRun run = new LoopRun(SPEC);
        run.take(examples);
        return run;
    }

    private static Kind change(LoopRun run, LoopSpec next) {
        int before = run.changes.size();
        run.loop().change(next, run);
        assertThat(run.changes).as("one thing on record").hasSize(before + 1);
        return run.lastChange().kind();
    }

    @Test
    void anImmediateChangeIsInForceAtOnce() {
        LoopRun run = after(45);
        var before = run.loop().gate().rollout();
        LoopSpec next = at(2, OTHER_RATE);
        assertThat(change(run, next)).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.lastChange().reason()).isEqualTo("spec version 2 is in force");
        assertThat(run.lastChange().rollout()).isEqualTo(before);
        assertThat(run.loop().spec()).isSameAs(next);

        LoopRun unchanged = after(45);
        run.take(5);
        unchanged.take(5);
        assertThat(run.loop().learner().state().parameters())
                .as("the next step is taken at the new rate")
                .isNotEqualTo(unchanged.loop().learner().state().parameters());
    }

    @Test
    void theGateFollowsAChangedModeFromTheNextExample() {
        LoopRun run = after(80);
        assertThat(run.active()).isZero();
        change(run, at(2, IMMEDIATE));
        run.take(40);
        assertThat(run.active()).isEqualTo(3);
    }

    @Test
    void aChangedTemperatureComesWithTheNextGeneration() {
        LoopRun run = after(45);
        LoopSpec next = at(2, SPEC.with(LoopSettings.INVERSE_TEMPERATURE, 0.0));
        assertThat(change(run, next)).isEqualTo(Kind.SPEC_WAITS);
        assertThat(run.take(run.draw(0, LoopRun.ALL)).candidate().probability()).isNotEqualTo(0.25);
        run.ask(Action.PROMOTE);
        assertThat(run.take(run.draw(run.active(), LoopRun.ALL)).active().probability())
                .isEqualTo(0.25);
    }

    /** Serving reads only the newest spec if the older one was removed from the topic. */
    @Test
    void decisionsUnderAWaitingSpecWithTheSameRuleAreCompared() {
        LoopRun run = new LoopRun(SPEC.with(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED));
        run.take(45);
        LoopSpec gated = run.loop().spec();
        change(run, at(2, Specs.of(gated, ObjectiveName.WNLL_LPR)));
        assertThat(evidence(run, 2)).isEqualTo(ComparedExample.Evidence.USABLE);
        assertThat(evidence(run, 3)).as("an unknown spec").isEqualTo(OTHER_RULE);
        change(run, at(3, gated.with(LoopSettings.INVERSE_TEMPERATURE, 0.5)));
        assertThat(evidence(run, 3)).as("another rule").isEqualTo(OTHER_RULE);
    }

    private static ComparedExample.Evidence evidence(LoopRun run, long specVersion) {
        return run.take(run.draw(run.active(), LoopRun.ALL), specVersion).evidence();
    }

    @Test
    void certificatesUseTheExamplesAfterTheLastOneOfAnotherRule() {
        LoopRun run = after(45);
        change(run, at(2, SPEC.with(LoopSettings.EXPLORATION_FLOOR, 0.1)));
        run.take(10);
        for (int i = 0; i < 5; i++) {
            run.take(run.draw(run.active(), LoopRun.ALL), 1);
        }
        run.take(13);
        assertThat(run.loop().gate().trusted()).isTrue();
        assertThat(run.loop().learner().buffered()).as("all are learned from").isEqualTo(43);
        LearnerState stored = run.loop().learner().state();
        for (LoopLearner learner :
                List.of(
                        run.loop().learner(),
                        LoopLearner.restore(
                                run.loop().spec(), Specs.MANY_BYTES, run.versions, stored))) {
            Certificate certificate = learner.freeze(true).certificate().orElseThrow();
            assertThat(certificate.n()).isEqualTo(13);
            assertThat(certificate.learnedFrom()).isPresent();
        }
    }

    @Test
    void aStaleExampleOfAnotherVersionLeavesCertificatesAlone() {
        LoopRun run = after(45);
        change(run, at(2, SPEC.with(LoopSettings.EXPLORATION_FLOOR, 0.1)));
        run.take(run.draw(1, LoopRun.ALL), 1);
        assertThat(run.loop().learner().freeze(true).certificate().orElseThrow().n()).isEqualTo(45);
    }

    @Test
    void certificatesUseNoRewardsOfAnOldMeaning() {
        LoopRun run = after(45);
        change(run, at(2, SPEC.with(LoopSettings.DEFAULT_REWARD, 0.5)));
        run.take(7);
        assertThat(run.loop().learner().freeze(true).certificate().orElseThrow().n()).isEqualTo(7);
    }

    @Test
    void aChangeOfTheObjectiveWaitsAndComesWithTheNextGenerationExactly() {
        LoopRun run = after(45);
        LoopSpec next = at(2, OTHER_OBJECTIVE);
        assertThat(change(run, next)).isEqualTo(Kind.SPEC_WAITS);
        assertThat(run.lastChange().reason())
                .isEqualTo(
                        "spec version 2 waits for the next generation; objective: the current"
                                + " parameters were learned with the old value");
        assertThat(run.loop().spec().version()).isEqualTo(1);
        assertThat(run.loop().waitingSpec()).contains(next);

        LoopRun unchanged = after(45);
        run.take(70);
        unchanged.take(70);
        assertThat(LoopRun.values(run.loop().learner().state()))
                .as("until then it learns as before")
                .isEqualTo(LoopRun.values(unchanged.loop().learner().state()));

        int before = run.changes.size();
        run.ask(Action.PROMOTE);
        assertThat(run.changes.subList(before, run.changes.size()))
                .extracting(change -> change.kind())
                .containsExactly(Kind.PROMOTED, Kind.SPEC_CHANGED);
        assertThat(run.lastChange().reason())
                .isEqualTo("spec version 2 is in force with this generation");
        assertThat(run.lastChange().rollout().activeVersion()).isEqualTo(run.active());
        assertThat(run.loop().spec()).isSameAs(next);
        assertThat(run.loop().waitingSpec()).isEmpty();
        assertThat(run.loop().learner().progress().pending()).isEqualTo(5);

        unchanged.ask(Action.PROMOTE);
        LoopLearner learner =
                LoopLearner.restore(
                        OTHER_OBJECTIVE,
                        Specs.MANY_BYTES,
                        unchanged.versions,
                        unchanged.loop().learner().state());
        for (int i = 0; i < 25; i++) {
            var example = unchanged.draw(unchanged.active(), LoopRun.ALL);
            learner.learn(example, 1_000L * (115 + i));
            run.take(example);
        }
        assertThat(LoopRun.values(run.loop().learner().state()))
                .as("from there on it learns by the new spec alone")
                .isEqualTo(LoopRun.values(learner.state()));
    }

    @Test
    void aRollbackIsTheNextGenerationToo() {
        LoopRun run = after(40);
        run.ask(Action.PROMOTE);
        run.take(15);
        change(run, at(2, OTHER_OBJECTIVE));
        run.ask(Action.ROLLBACK);
        assertThat(run.loop().spec().version()).isEqualTo(2);
    }

    @Test
    void aWaitingSpecComesWithAGenerationThatTheGateStartsByItself() {
        LoopRun run = new LoopRun(IMMEDIATE);
        run.take(15);
        change(run, at(2, OTHER_OBJECTIVE));
        run.take(24);
        assertThat(run.loop().spec().version()).isEqualTo(1);
        run.take(1);
        assertThat(run.active()).isEqualTo(1);
        assertThat(run.loop().spec().version()).isEqualTo(2);
        run.take(40);
        assertThat(run.active()).as("the new spec is of manual mode").isEqualTo(1);
    }

    @Test
    void aNewerImmediateSpecTakesThePlaceOfAWaitingOne() {
        LoopRun run = after(45);
        change(run, at(2, OTHER_OBJECTIVE));
        assertThat(change(run, at(3, OTHER_RATE))).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.loop().waitingSpec()).isEmpty();
        run.ask(Action.PROMOTE);
        assertThat(run.loop().spec().version()).isEqualTo(3);
        assertThat(run.lastChange().kind()).isEqualTo(Kind.PROMOTED);
    }

    @Test
    void aNewerWaitingSpecTakesThePlaceOfAnOlderOne() {
        LoopRun run = after(45);
        change(run, at(2, OTHER_OBJECTIVE));
        change(run, at(3, Specs.of(SPEC, ObjectiveName.IPS_L2)));
        run.ask(Action.PROMOTE);
        assertThat(run.loop().spec().version()).isEqualTo(3);
    }

    @Test
    void anotherShapeIsRefusedOnRecordAndWhatWaitsStays() {
        LoopRun run = after(45);
        LoopSpec waiting = at(2, OTHER_OBJECTIVE);
        change(run, waiting);
        var learner = LoopRun.values(run.loop().learner().state());
        assertThat(change(run, at(3, SPEC.with(LoopSettings.FEATURES, OptionalLong.of(4)))))
                .isEqualTo(Kind.SPEC_REFUSED);
        assertThat(run.lastChange().reason())
                .isEqualTo(
                        "spec version 3; features: the parameters belong to the old features or"
                                + " actions; create a new loop");
        assertThat(run.loop().spec().version()).isEqualTo(1);
        assertThat(run.loop().waitingSpec()).contains(waiting);
        assertThat(LoopRun.values(run.loop().learner().state())).isEqualTo(learner);
    }

    @Test
    void beforeTheFirstExampleEvenAnotherObjectiveIsInForceAtOnce() {
        LoopRun run = after(0);
        assertThat(change(run, at(2, OTHER_OBJECTIVE))).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.loop().spec().version()).isEqualTo(2);
        run.take(1);
        assertThat(change(run, at(3, SPEC))).isEqualTo(Kind.SPEC_WAITS);
    }

    @Test
    void theFirstExamplesOfAGenerationAreNotLearnedForTheObjectiveBeforeIt() {
        LoopSpec both = Specs.batches(OTHER_OBJECTIVE, 4, 0, 50, 7);
        LoopRun run = after(47); // seven are pending, more than a new mini-batch
        change(run, at(2, both));
        LoopRun unchanged = after(47);
        unchanged.ask(Action.PROMOTE);
        LoopLearner expected =
                LoopLearner.restore(
                        OTHER_OBJECTIVE,
                        Specs.MANY_BYTES,
                        unchanged.versions,
                        unchanged.loop().learner().state());
        run.ask(Action.PROMOTE);
        assertThat(run.loop().learner().progress().pending()).isZero();
        assertThat(LoopRun.values(run.loop().learner().state()))
                .isEqualTo(LoopRun.values(expected.changedTo(both).state()));
    }

    @Test
    void aSmallerBufferIsAnImmediateChangeAndKeepsTheNewest() {
        LoopRun run = after(45);
        var before = examples(run);
        SpecChange change =
                run.loop().change(at(2, SPEC.with(LoopSettings.BUFFER_CAPACITY, 20L)), run);
        assertThat(change.fields())
                .extracting(field -> field.name())
                .containsExactly("bufferCapacity");
        assertThat(run.lastChange().kind()).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(examples(run)).as("whole mini-batches").isEqualTo(before.subList(30, 45));
    }

    private static List<LoggedExample> examples(LoopRun run) {
        return LoopRun.examples(run.loop().learner().state().buffer(), run.versions);
    }
}
