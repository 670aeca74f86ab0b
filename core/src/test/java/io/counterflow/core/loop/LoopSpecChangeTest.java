package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.ExplorationFloor;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.rollout.GateSpec;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.spec.RolloutMode;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** New specs for a loop that runs. */
final class LoopSpecChangeTest {

    private static final GateSpec MANUAL = new GateSpec(RolloutMode.MANUAL, 0.5, 60, 1.0, true);
    private static final LearnerSpec OTHER_OBJECTIVE =
            Specs.with(Specs.dense(), StreamObjective.Kind.WNLL_LPR);
    private static final LearnerSpec OTHER_RATE = Specs.with(Specs.dense(), new AdaGrad(0.1, 1.0));

    private static LoopRules rules(long version, LearnerSpec learner) {
        return rules(version, learner, MANUAL, SoftmaxPolicy::new);
    }

    private static LoopRules rules(
            long version,
            LearnerSpec learner,
            GateSpec gate,
            Function<LinearModel, Policy> served) {
        return new LoopRules(version, learner, gate, served, 10);
    }

    private static LoopRun after(int examples) {
        LoopRun run = new LoopRun(rules(1, Specs.dense()));
        run.take(examples);
        return run;
    }

    private static Kind change(LoopRun run, LoopRules next) {
        int before = run.changes.size();
        run.loop().change(next, run);
        assertThat(run.changes).as("one thing on record").hasSize(before + 1);
        return run.lastChange().kind();
    }

    @Test
    void aHotChangeIsInForceAtOnce() {
        LoopRun run = after(45);
        var before = run.loop().gate().rollout();
        LoopRules next = rules(2, OTHER_RATE);
        assertThat(change(run, next)).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.lastChange().reason()).isEqualTo("spec version 2 is in force");
        assertThat(run.lastChange().rollout()).isEqualTo(before);
        assertThat(run.loop().rules()).isSameAs(next);

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
        GateSpec immediate = new GateSpec(RolloutMode.IMMEDIATE, 0.5, 60, 1.0, true);
        change(run, rules(2, Specs.dense(), immediate, SoftmaxPolicy::new));
        run.take(40);
        assertThat(run.active()).isEqualTo(3);
    }

    @Test
    void aChangedTemperatureIsJudgedFromTheNextExample() {
        LoopRun run = after(45);
        change(
                run,
                rules(
                        2,
                        Specs.dense(),
                        MANUAL,
                        model -> new ExplorationFloor(new SoftmaxPolicy(model), 1.0)));
        assertThat(run.take(run.draw(0, LoopRun.ALL)).candidate()).isEqualTo(0.25);
    }

    @Test
    void aChangeOfTheObjectiveWaitsAndComesWithTheNextGenerationExactly() {
        LoopRun run = after(45);
        LoopRules next = rules(2, OTHER_OBJECTIVE);
        assertThat(change(run, next)).isEqualTo(Kind.SPEC_WAITS);
        assertThat(run.lastChange().reason())
                .isEqualTo(
                        "spec version 2 needs a replay or the next generation; objective: the"
                                + " parameters were learned for another objective");
        assertThat(run.loop().rules().specVersion()).isEqualTo(1);
        assertThat(run.loop().waitingRules()).contains(next);

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
        assertThat(run.loop().rules()).isSameAs(next);
        assertThat(run.loop().waitingRules()).isEmpty();
        assertThat(run.loop().learner().progress().pending()).isEqualTo(5);

        unchanged.ask(Action.PROMOTE);
        LoopLearner learner =
                LoopLearner.restore(OTHER_OBJECTIVE, unchanged.loop().learner().state());
        for (int i = 0; i < 25; i++) {
            var example = unchanged.draw(unchanged.active(), LoopRun.ALL);
            learner.learn(example, 115 + i);
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
        change(run, rules(2, OTHER_OBJECTIVE));
        run.ask(Action.ROLLBACK);
        assertThat(run.loop().rules().specVersion()).isEqualTo(2);
    }

    @Test
    void aWaitingSpecComesWithAGenerationThatTheGateStartsByItself() {
        LoopRun run =
                new LoopRun(
                        rules(
                                1,
                                Specs.dense(),
                                new GateSpec(RolloutMode.IMMEDIATE, 0.5, 60, 1.0, true),
                                SoftmaxPolicy::new));
        run.take(15);
        change(run, rules(2, OTHER_OBJECTIVE));
        run.take(24);
        assertThat(run.loop().rules().specVersion()).isEqualTo(1);
        run.take(1);
        assertThat(run.active()).isEqualTo(1);
        assertThat(run.loop().rules().specVersion()).isEqualTo(2);
        run.take(40);
        assertThat(run.active()).as("the new spec is of manual mode").isEqualTo(1);
    }

    @Test
    void aNewerHotSpecTakesThePlaceOfAWaitingOne() {
        LoopRun run = after(45);
        change(run, rules(2, OTHER_OBJECTIVE));
        assertThat(change(run, rules(3, OTHER_RATE))).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.loop().waitingRules()).isEmpty();
        run.ask(Action.PROMOTE);
        assertThat(run.loop().rules().specVersion()).isEqualTo(3);
        assertThat(run.lastChange().kind()).isEqualTo(Kind.PROMOTED);
    }

    @Test
    void aNewerWaitingSpecTakesThePlaceOfAnOlderOne() {
        LoopRun run = after(45);
        change(run, rules(2, OTHER_OBJECTIVE));
        change(run, rules(3, Specs.with(Specs.dense(), StreamObjective.Kind.IPS_L2)));
        run.ask(Action.PROMOTE);
        assertThat(run.loop().rules().specVersion()).isEqualTo(3);
    }

    @Test
    void anotherShapeIsRefusedOnRecordAndWhatWaitsStays() {
        LoopRun run = after(45);
        LoopRules waiting = rules(2, OTHER_OBJECTIVE);
        change(run, waiting);
        var learner = LoopRun.values(run.loop().learner().state());
        assertThat(change(run, rules(3, Specs.of(DenseModel.zeros(4, 4)))))
                .isEqualTo(Kind.SPEC_REFUSED);
        assertThat(run.lastChange().reason())
                .isEqualTo(
                        "spec version 3; shape: examples and parameters have the old shape; make a"
                                + " new loop");
        assertThat(run.loop().rules().specVersion()).isEqualTo(1);
        assertThat(run.loop().waitingRules()).contains(waiting);
        assertThat(LoopRun.values(run.loop().learner().state())).isEqualTo(learner);
    }

    @Test
    void beforeTheFirstExampleEvenAnotherObjectiveIsInForceAtOnce() {
        LoopRun run = after(0);
        assertThat(change(run, rules(2, OTHER_OBJECTIVE))).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.loop().rules().specVersion()).isEqualTo(2);
        run.take(1);
        assertThat(change(run, rules(3, Specs.dense()))).isEqualTo(Kind.SPEC_WAITS);
    }

    @Test
    void theFirstExamplesOfAGenerationAreNotLearnedForTheObjectiveBeforeIt() {
        LearnerSpec both = Specs.with(OTHER_OBJECTIVE, new MiniBatches(4, 0, 50, 7));
        LoopRun run = after(47); // seven are pending, more than a new mini-batch
        change(run, rules(2, both));
        LoopRun unchanged = after(47);
        unchanged.ask(Action.PROMOTE);
        LoopLearner expected =
                LoopLearner.restore(OTHER_OBJECTIVE, unchanged.loop().learner().state());
        run.ask(Action.PROMOTE);
        assertThat(run.loop().learner().progress().pending()).isZero();
        assertThat(LoopRun.values(run.loop().learner().state()))
                .isEqualTo(LoopRun.values(expected.changedTo(both).state()));
    }

    @Test
    void aBufferOfFewerBytesIsAHotChangeAndKeepsTheNewest() {
        LoopRun run = after(45);
        long ofOne = 4L * Specs.DIMENSION;
        SpecChange change =
                run.loop().change(rules(2, Specs.dense().withBufferBytes(20 * ofOne)), run);
        assertThat(change.fields())
                .extracting(field -> field.name())
                .containsExactly("bufferBytes");
        assertThat(run.lastChange().kind()).isEqualTo(Kind.SPEC_CHANGED);
        assertThat(run.loop().learner().buffered()).isEqualTo(20);
        assertThat(run.loop().learner().bufferedBytes()).isEqualTo(20 * ofOne);
    }
}
