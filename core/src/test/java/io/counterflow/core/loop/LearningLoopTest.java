package io.counterflow.core.loop;

import static io.counterflow.core.loop.LoopRun.ALL;
import static io.counterflow.core.loop.LoopRun.probability;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.ExplorationFloor;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.rollout.Gate;
import io.counterflow.core.rollout.GateSpec;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.spec.RolloutMode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Candidates are frozen after each 40 examples, mini-batches are of 10. */
final class LearningLoopTest {

    private static LoopRules rules(RolloutMode mode) {
        return rules(mode, SoftmaxPolicy::new);
    }

    private static LoopRules rules(RolloutMode mode, Function<LinearModel, Policy> served) {
        return new LoopRules(1, Specs.dense(), new GateSpec(mode, 0.5, 60, 1.0, true), served, 10);
    }

    private static LoopRun manual() {
        return new LoopRun(rules(RolloutMode.MANUAL));
    }

    private static RolloutCommand canary(long version, double share) {
        return new RolloutCommand(
                Action.CANARY, OptionalLong.of(version), OptionalDouble.of(share), "why");
    }

    @Test
    void aLoopStartsOnRecordAndKeepsItsFirstVersion() {
        LoopRun run = manual();
        assertThat(run.changes).hasSize(1);
        assertThat(run.lastChange().kind()).isEqualTo(Kind.STARTED);
        assertThat(run.lastChange().sequence()).isEqualTo(1);
        assertThat(run.lastChange().reason()).isEqualTo("spec version 1; version 0 decides");
        assertThat(run.versions.versions()).containsExactly(0L);
        assertThat(run.loop().waitingRules()).isEmpty();
    }

    @Test
    void aFirstVersionOfAnotherShapeIsRefusedAndNotKept() {
        KeptVersions versions = new KeptVersions();
        List<RolloutChange> changes = new ArrayList<>();
        LoopOutput output =
                new LoopOutput() {
                    @Override
                    public void frozen(Candidate candidate) {
                        throw new AssertionError("nothing was learned");
                    }

                    @Override
                    public void changed(RolloutChange change) {
                        changes.add(change);
                    }
                };
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                LearningLoop.start(
                                        rules(RolloutMode.MANUAL),
                                        0,
                                        DenseModel.zeros(2, 2),
                                        versions,
                                        output));
        assertThat(versions.versions()).isEmpty();
        assertThat(changes).isEmpty();
    }

    @Test
    void aLoopKeepsAtLeastOneVersion() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new LoopRules(
                                        1,
                                        Specs.dense(),
                                        new GateSpec(RolloutMode.MANUAL, 0.5, 60, 1.0, true),
                                        SoftmaxPolicy::new,
                                        0))
                .withMessage("keptVersions must be at least 1, got 0");
    }

    @Test
    void aCandidateIsKeptBeforeItIsToldAndToldBeforeItIsOffered() {
        List<String> told = new ArrayList<>();
        KeptVersions versions = new KeptVersions();
        LoopOutput output =
                new LoopOutput() {
                    @Override
                    public void frozen(Candidate candidate) {
                        assertThat(versions.model(candidate.version()))
                                .containsSame(candidate.model());
                        told.add("frozen " + candidate.version());
                    }

                    @Override
                    public void changed(RolloutChange change) {
                        told.add(change.kind() + " " + change.rollout().candidateVersion());
                    }
                };
        LoopRules rules = rules(RolloutMode.MANUAL);
        LearningLoop loop = LearningLoop.start(rules, 0, rules.learner().shape(), versions, output);
        LoopRun source = manual();
        for (int i = 0; i < 40; i++) {
            loop.take(source.draw(0, ALL), ALL, i, output);
        }
        assertThat(told)
                .containsExactly(
                        "STARTED OptionalLong.empty", "frozen 1", "CANDIDATE OptionalLong[1]");
    }

    @Test
    void theExampleThatCompletesACandidateDoesNotJudgeIt() {
        LoopRun run = manual();
        run.take(40);
        assertThat(run.loop().gate().candidateBounds().orElseThrow().examples()).isZero();
        run.take(1);
        assertThat(run.loop().gate().candidateBounds().orElseThrow().examples()).isEqualTo(1);
    }

    @Test
    void judgedNumbersAreThoseOfThePoliciesThemselves() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(40);
        assertThat(run.loop().gate().rollout().previousVersion()).hasValue(0);
        for (int i = 0; i < 30; i++) { // no further candidate yet
            LoggedExample example = run.draw(1, ALL);
            Judgement judged = run.take(example);
            assertThat(judged.activeVersion()).isEqualTo(1);
            assertThat(judged.active()).isEqualTo(direct(run, 1, example, ALL));
            assertThat(judged.active()).isEqualTo(example.propensity());
            assertThat(judged.candidateVersion()).hasValue(2);
            assertThat(judged.candidate()).isEqualTo(direct(run, 2, example, ALL));
            assertThat(judged.previous()).isEqualTo(0.25);
            assertThat(judged.uniform()).isEqualTo(0.25);
        }
    }

    private static double direct(
            LoopRun run, long version, LoggedExample example, AllowedActions allowed) {
        return probability(run.served(version), example.features(), allowed, example.action());
    }

    @Test
    void withoutCandidateAndVersionBeforeTheirNumbersAreZero() {
        LoopRun run = manual();
        Judgement judged = run.take(run.draw(0, ALL));
        assertThat(judged.candidateVersion()).isEmpty();
        assertThat(judged.candidate()).isZero();
        assertThat(judged.previous()).isZero();
        assertThat(judged.active()).isEqualTo(0.25);
    }

    @Test
    void theNumberOfTheVersionThatDecidedIsKnownWhereItHasAPart() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(80);
        assertThat(run.loop().gate().rollout().candidateVersion()).hasValue(3);
        for (long version : List.of(0L, 1L, 3L)) {
            LoggedExample example = run.draw(version, ALL);
            assertThat(run.take(example).logging())
                    .as("%d", version)
                    .hasValue(example.propensity());
        }
        assertThat(run.take(run.draw(2, ALL)).logging()).isEmpty();
    }

    @Test
    void theGateSeesTheWeightsOfTheServedPoliciesOverTheAllowedActions() {
        LoopRules rules =
                rules(
                        RolloutMode.GATED,
                        model -> new ExplorationFloor(new SoftmaxPolicy(model.scaled(0.5)), 0.2));
        LoopRun run = new LoopRun(rules);
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(40);
        run.ask(canary(2, 0.5));
        Gate alone = Gate.restore(rules.gate(), run.loop().gate().state());
        for (int i = 0; i < 30; i++) {
            AllowedActions allowed = i % 3 == 0 ? ALL : AllowedActions.allBut(4, i % 4);
            LoggedExample example = run.draw(1 + i % 2, allowed);
            double p = example.propensity();
            alone.observe(
                    example.policyVersion(),
                    direct(run, 2, example, allowed) / p,
                    direct(run, 1, example, allowed) / p,
                    direct(run, 0, example, allowed) / p,
                    example.reward());
            run.take(example, allowed);
            assertThat(run.loop().gate().state()).as("example %d", i).isEqualTo(alone.state());
        }
        assertThat(run.loop().gate().state().canary().orElseThrow().difference().count())
                .isEqualTo(15);
    }

    @Test
    void excludedActionsGiveTheirProbabilityToTheOthers() {
        LoopRun run = manual();
        run.take(40);
        AllowedActions two = AllowedActions.allBut(4, 0, 2);
        LoggedExample example = run.draw(0, two);
        assertThat(example.propensity()).isEqualTo(0.5);
        double one = direct(run, 1, example, AllowedActions.all(4));
        int other = example.action() == 1 ? 3 : 1;
        double another = probability(run.served(1), example.features(), ALL, other);
        Judgement judged = run.take(example, two);
        assertThat(judged.active()).isEqualTo(0.5);
        assertThat(judged.uniform()).isEqualTo(0.5);
        assertThat(judged.candidate()).isCloseTo(one / (one + another), within(1e-12));
    }

    @Test
    void temperatureAndExplorationFloorReachTheNumbers() {
        LoopRun bare = manual();
        LoopRun flat = new LoopRun(rules(RolloutMode.MANUAL, m -> new SoftmaxPolicy(m.scaled(0))));
        LoopRun floored =
                new LoopRun(
                        rules(
                                RolloutMode.MANUAL,
                                m -> new ExplorationFloor(new SoftmaxPolicy(m), 0.4)));
        for (int i = 0; i < 40; i++) {
            LoggedExample example = bare.draw(0, ALL);
            bare.take(example);
            flat.take(example);
            floored.take(example);
        }
        for (int i = 0; i < 20; i++) {
            LoggedExample example = bare.draw(0, ALL);
            double ofBare = bare.take(example).candidate();
            assertThat(flat.take(example).candidate()).isEqualTo(0.25);
            assertThat(floored.take(example).candidate())
                    .isCloseTo(0.6 * ofBare + 0.1, within(1e-12));
        }
    }

    @Test
    void aPersonsPromotionStartsAGenerationFromThatVersion() {
        LoopRun run = manual();
        run.take(47);
        RolloutChange change = run.ask(Action.PROMOTE);
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(change.rollout().activeVersion()).isEqualTo(1);
        LearnerState state = run.loop().learner().state();
        assertThat(state.progress().priorVersion()).isEqualTo(1);
        assertThat(state.prior()).isEqualTo(FlatParameters.of(run.candidates.get(0).model()));
        assertThat(state.parameters()).isEqualTo(state.prior());
        assertThat(state.examples()).as("those that no step was taken on").hasSize(7);
        assertThat(state.progress().learned()).isZero();
    }

    @Test
    void aRollbackReturnsToTheVersionBeforeAndLearnsFromIt() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(20);
        RolloutChange change = run.ask(Action.ROLLBACK);
        assertThat(change.kind()).isEqualTo(Kind.ROLLED_BACK);
        assertThat(run.active()).isZero();
        assertThat(run.loop().learner().priorVersion()).isZero();
        assertThat(run.loop().learner().state().parameters()).containsOnly(0.0f);
        Judgement judged = run.take(run.draw(0, ALL));
        assertThat(judged.activeVersion()).isZero();
        assertThat(judged.active()).isEqualTo(0.25);
        assertThat(judged.previous()).as("a rollback has none before it").isZero();
    }

    @Test
    void aCanaryAndItsEndStartNoGeneration() {
        LoopRun run = manual();
        run.take(45);
        LearnerProgress before = run.loop().learner().progress();
        assertThat(run.ask(canary(1, 0.3)).kind()).isEqualTo(Kind.CANARY);
        assertThat(run.loop().gate().rollout().share()).isEqualTo(0.3);
        assertThat(run.ask(Action.ROLLBACK).kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(run.loop().gate().rollout().stage()).isEqualTo(Stage.ROLLED_BACK);
        assertThat(run.loop().learner().progress()).isEqualTo(before);
        assertThat(run.take(run.draw(0, ALL)).candidateVersion()).isEmpty();
    }

    @Test
    void anotherCanaryIsJudgedInThePlaceOfTheOldOne() {
        LoopRun run = manual();
        run.take(80);
        run.ask(canary(1, 0.3));
        LoggedExample example = run.draw(0, ALL);
        Judgement judged = run.take(example);
        assertThat(judged.candidateVersion()).hasValue(1);
        assertThat(judged.candidate()).isEqualTo(direct(run, 1, example, ALL));
    }

    @Test
    void aPausedLoopLearnsAndFreezesButPromotesNothing() {
        LoopRun run = new LoopRun(rules(RolloutMode.IMMEDIATE));
        assertThat(run.ask(Action.PAUSE).kind()).isEqualTo(Kind.PAUSED);
        run.take(79);
        assertThat(run.candidates).hasSize(1);
        assertThat(run.active()).isZero();
        assertThat(run.loop().gate().waiting()).hasValue(1);
        assertThat(run.ask(Action.RESUME).kind()).isEqualTo(Kind.RESUMED);
        assertThat(run.active()).isZero();

        run.take(1); // promotes what waited, and would have completed the next candidate
        assertThat(run.active()).isEqualTo(1);
        assertThat(run.candidates).as("the clock started anew with the generation").hasSize(1);
        assertThat(run.loop().learner().progress().steps()).isEqualTo(8);
        assertThat(run.loop().learner().buffered())
                .as("the example that decided was learned before the generation")
                .isZero();
        assertThat(run.loop().learner().progress().received()).isEqualTo(80);
    }

    @Test
    void immediateModeMakesEachCandidateTheNextPrior() {
        LoopRun run = new LoopRun(rules(RolloutMode.IMMEDIATE));
        run.take(120);
        assertThat(run.candidates).extracting(Candidate::parentVersion).containsExactly(0L, 1L, 2L);
        assertThat(run.loop().learner().priorVersion()).isEqualTo(3);
        assertThat(run.changes)
                .extracting(RolloutChange::kind)
                .containsExactly(Kind.STARTED, Kind.PROMOTED, Kind.PROMOTED, Kind.PROMOTED);
        assertThat(run.changes).extracting(RolloutChange::sequence).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void commandsForVersionsThatAreNotKeptAreRefusedOnRecordAndChangeNothing() {
        LoopRun run = manual();
        run.take(45);
        for (RolloutCommand command :
                List.of(
                        canary(7, 0.5),
                        new RolloutCommand(
                                Action.PROMOTE, OptionalLong.of(7), OptionalDouble.empty(), ""),
                        new RolloutCommand(
                                Action.ROLLBACK, OptionalLong.of(7), OptionalDouble.empty(), ""))) {
            var rollout = run.loop().gate().rollout();
            var learner = LoopRun.values(run.loop().learner().state());
            long sequence = run.lastChange().sequence();
            RolloutChange change = run.ask(command);
            assertThat(change.kind()).isEqualTo(Kind.REFUSED);
            assertThat(change.sequence()).isEqualTo(sequence + 1);
            assertThat(change.reason())
                    .isEqualTo("version 7 is not one of the versions that are kept");
            assertThat(change.rollout()).isEqualTo(rollout);
            assertThat(run.loop().gate().rollout()).isEqualTo(rollout);
            assertThat(LoopRun.values(run.loop().learner().state())).isEqualTo(learner);
        }
    }

    private static LoopRun keeping(int versions) {
        return new LoopRun(
                new LoopRules(
                        1,
                        Specs.dense(),
                        new GateSpec(RolloutMode.MANUAL, 0.5, 0, 1.0, true),
                        SoftmaxPolicy::new,
                        versions));
    }

    @Test
    void oldVersionsAreForgottenAndCannotBePromotedAnyMore() {
        LoopRun run = keeping(2);
        run.take(40 * 5);
        assertThat(run.versions.versions())
                .as("active and the newest two")
                .containsExactly(0L, 4L, 5L);
        assertThat(run.ask(Action.PROMOTE, 3).kind()).isEqualTo(Kind.REFUSED);
        assertThat(run.ask(Action.PROMOTE, 4).kind()).isEqualTo(Kind.PROMOTED);
    }

    @Test
    void aVersionThatHasAPartIsNeverForgotten() {
        LoopRun run = keeping(1);
        run.take(40);
        run.ask(Action.PROMOTE, 1); // 0 is before, 1 is active
        run.take(40);
        run.ask(canary(2, 0.5)); // newer candidates wait
        run.take(40 * 3);
        assertThat(run.loop().gate().waiting()).hasValue(5);
        assertThat(run.versions.versions()).containsExactly(0L, 1L, 2L, 5L);
        run.ask(Action.ROLLBACK); // ends the canary
        run.take(40);
        assertThat(run.versions.versions()).containsExactly(0L, 1L, 6L);
        assertThat(run.ask(Action.ROLLBACK).kind()).isEqualTo(Kind.ROLLED_BACK);
        run.take(40);
        assertThat(run.versions.versions()).containsExactly(0L, 7L);
    }

    @Test
    void aWaitingCandidateOfAPausedLoopIsNeverForgotten() {
        LoopRun run = keeping(1);
        run.ask(Action.PAUSE);
        run.take(40 * 3);
        assertThat(run.loop().gate().waiting()).hasValue(3);
        assertThat(run.versions.versions()).containsExactly(0L, 3L);
        assertThat(run.ask(Action.PROMOTE).rollout().activeVersion()).isEqualTo(3);
    }

    @Test
    void anExampleThatIsRefusedChangesNothingAtAll() {
        LoopRun run = new LoopRun(rules(RolloutMode.GATED));
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(45);
        LoggedExample good = run.draw(1, ALL);
        var x = good.features();
        refused(
                run,
                new LoggedExample(x, 0, 1e-100, 1.0, 1),
                ALL,
                "propensity must be at least 1.0E-90 to be learned from, got 1.0E-100");
        refused(
                run,
                new LoggedExample(DenseVector.of(1f, 2f), 0, 0.5, 1.0, 1),
                ALL,
                "features must be a context vector of 3 coordinates, got 2");
        refused(run, new LoggedExample(x, 4, 0.5, 1.0, 1), ALL, "action must be below 4, got 4");
        refused(
                run,
                new LoggedExample(x, 1, 0.5, 1.0, 1),
                AllowedActions.allBut(4, 1),
                "the chosen action must be one of those allowed, got 1");
        for (AllowedActions others :
                List.of(
                        AllowedActions.all(3),
                        AllowedActions.all(5),
                        AllowedActions.allBut(5, 4))) {
            refused(
                    run,
                    new LoggedExample(x, 0, 0.5, 1.0, 1),
                    others,
                    "allowed actions must be out of 4, got " + others.actions());
        }
        List<Object> before = run.everything();
        int changes = run.changes.size();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> run.loop().take(good, ALL, -1, run))
                .withMessage("eventTimeMs must be at least 0, got -1");
        assertThat(run.everything()).isEqualTo(before);
        assertThat(run.changes).hasSize(changes);
    }

    private static void refused(
            LoopRun run, LoggedExample example, AllowedActions allowed, String message) {
        List<Object> before = run.everything();
        int changes = run.changes.size();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> run.take(example, allowed))
                .withMessage(message);
        assertThat(run.everything()).as(message).isEqualTo(before);
        assertThat(run.changes).hasSize(changes);
    }

    @Test
    void theSmallestPropensityIsLearnedFromAndJudgedWithFiniteNumbers() {
        LoopRun run = new LoopRun(rules(RolloutMode.GATED));
        run.take(40);
        for (int i = 0; i < 80; i++) {
            LoggedExample example = run.draw(run.active(), ALL);
            run.take(
                    new LoggedExample(
                            example.features(), example.action(), 1e-90, 1.0, run.active()));
        }
        assertThat(run.candidates.size()).isGreaterThanOrEqualTo(2);
        run.loop().learner().freeze(); // refuses parameters that are not finite
        assertThat(run.changes)
                .allSatisfy(
                        change ->
                                assertThat(change.bounds().map(b -> b.differenceLower()))
                                        .satisfiesAnyOf(
                                                none -> assertThat(none).isEmpty(),
                                                some -> assertThat(some.orElseThrow()).isFinite()));
    }

    @Test
    void examplesOfOtherVersionsTrainButJudgeNobody() {
        LoopRun run = new LoopRun(rules(RolloutMode.GATED));
        run.take(40);
        var gate = run.loop().gate().state();
        LoggedExample own = run.draw(0, ALL);
        run.take(
                new LoggedExample(
                        own.features(), own.action(), own.propensity(), own.reward(), -5));
        assertThat(run.loop().gate().state()).isEqualTo(gate);
        assertThat(run.loop().learner().progress().received()).isEqualTo(41);
    }
}
