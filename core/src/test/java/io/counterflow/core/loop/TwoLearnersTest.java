package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Loops that learn with a reward model, or with both learners. */
final class TwoLearnersTest {

    private static LoopSpec spec(LearnerKind learner) {
        return Specs.vectors(Specs.ACTIONS, Specs.DIMENSION)
                .set(LoopSettings.LEARNER, learner)
                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                .set(LoopSettings.EXPLORATION_FLOOR, 0.1)
                .build();
    }

    @Test
    void aRewardModelAloneKeepsNoExamples() {
        LoopRun run = new LoopRun(spec(LearnerKind.REWARD_MODEL));
        run.take(200);
        LoopLearner learner = run.loop().learner();
        assertThat(learner.buffered()).isZero();
        assertThat(learner.state().buffer()).isEqualTo(BufferState.empty());
        assertThat(learner.parameters()).isEmpty();
        assertThat(learner.squaredGradientSum()).isEmpty();
        assertThat(run.candidates).hasSize(5).allMatch(Candidate::fromRewardModel);
        assertThat(run.candidates.get(4).examples()).isEqualTo(200);
        assertThat(run.candidates).allMatch(it -> it.certificate().isEmpty());
        assertThat(run.active()).isEqualTo(5);
    }

    @Test
    void lprGoesOnWhenAVersionOfTheRewardModelIsPromoted() {
        LoopRun run = new LoopRun(spec(LearnerKind.BEST));
        run.take(45);
        LearnerProgress progress = run.loop().learner().progress();
        assertThat(progress.activeVersion()).isEqualTo(1);
        assertThat(progress.priorVersion()).isZero();
        assertThat(progress.learned()).isEqualTo(40);
        assertThat(run.loop().learner().buffered()).isEqualTo(45);
        run.take(600); // its prior is stored as long as it is needed
        assertThat(run.active()).isGreaterThan(10);
        assertThat(run.versions.versions()).contains(0L);
    }

    @Test
    void aCandidateOfTheRewardModelHasEstimatesButNoBound() {
        LoopRun run = new LoopRun(spec(LearnerKind.BEST));
        run.take(40);
        assertThat(run.candidates.get(0).certificate()).isPresent();
        assertThat(run.candidates.get(0).certificate().orElseThrow().learnedFrom()).isEmpty();
    }

    @Test
    void lprGoesForwardWhenItEarnsMore() {
        LoopSpec spec = spec(LearnerKind.BEST).with(LoopSettings.ROLLOUT_MODE, RolloutMode.MANUAL);
        LoopRun run = new LoopRun(spec);
        EventRandom random = new EventRandom(3);
        // The reward model learns that action 0 is best. Then only action 1 has rewards, with
        // propensities that let it count a hundred times: LPR changes first.
        for (int i = 0; i < 4_000; i++) {
            boolean first = i < 3_000;
            int action = random.nextInt(2);
            double propensity = first || action == 0 ? 0.5 : 0.005;
            double reward = first ? (action == 0 ? 1.0 : 0.5) : (action == 1 ? 0.6 : 0.9);
            run.loop().learner().judge(example(action, propensity, reward), 0.25);
            run.loop().learner().learn(example(action, propensity, reward), i);
        }
        assertThat(run.loop().learner().freeze(true).fromRewardModel()).isFalse();
    }

    private static LoggedExample example(int action, double propensity, double reward) {
        return new LoggedExample(
                DenseVector.of(1.0f, 0.0f, 0.0f),
                AllowedActions.ALL,
                action,
                propensity,
                reward,
                0);
    }

    @Test
    void anImmediateLoopKeepsAGivenStartUntilALearnedPolicyIsAhead() {
        DenseModel wrong =
                new DenseModel(
                        new float[][] {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                        new float[] {40, 0, 0, 0});
        LoopSpec spec =
                spec(LearnerKind.REWARD_MODEL).toBuilder()
                        .set(
                                LoopSettings.STARTING_POLICY,
                                Optional.of(PolicySnapshot.of("loop", 0, wrong, Optional.empty())))
                        .build();
        LoopRun run = new LoopRun(spec);
        DenseVector x = DenseVector.of(1.0f, 0.0f, 0.0f);
        for (int i = 0; i < 400; i++) { // the starting policy is as good as any
            run.take(logged(run, x, 0, 1.0));
        }
        assertThat(run.active()).isZero();
        EventRandom random = new EventRandom(1);
        for (int i = 0; i < 4_000 && run.active() == 0; i++) { // now only action 1 does
            int action = random.nextInt(20) == 0 ? 1 : 0;
            run.take(logged(run, x, action, action));
        }
        assertThat(run.active()).isPositive();
    }

    private static LoggedExample logged(LoopRun run, DenseVector x, int action, double reward) {
        double[] probabilities = new double[Specs.ACTIONS];
        run.served(run.active()).probabilities(x, AllowedActions.ALL, probabilities);
        return new LoggedExample(
                x, AllowedActions.ALL, action, probabilities[action], reward, run.active());
    }

    @Test
    void aCandidateIsDueAfterRewards() {
        LoopSpec spec =
                spec(LearnerKind.REWARD_MODEL).toBuilder()
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 300L)
                        .set(LoopSettings.SNAPSHOT_REWARDS, 5.0)
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.MANUAL)
                        .build();
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, new InMemoryStorage());
        assertThat(examplesUntilDue(learner, 1.0)).isEqualTo(5);
        for (int i = 0; i < 9; i++) {
            assertThat(examplesUntilDue(learner, 1.0)).isEqualTo(5);
        }
        assertThat(examplesUntilDue(learner, 1.0)).isEqualTo(5); // a tenth of 50
        assertThat(examplesUntilDue(learner, 1.0)).isEqualTo(6); // a tenth of 55
        assertThat(examplesUntilDue(learner, 0.0)).isEqualTo(300);
    }

    @Test
    void anImmediateLoopServesAYoungRewardModelEarly() {
        LoopSpec spec =
                spec(LearnerKind.REWARD_MODEL).toBuilder()
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 30L)
                        .set(LoopSettings.SNAPSHOT_REWARDS, 5.0)
                        .build();
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, new InMemoryStorage());
        assertThat(examplesUntilDue(learner, 1.0)).isEqualTo(11); // 10 and a twentieth of 11
        assertThat(examplesUntilDue(learner, 0.0)).isEqualTo(12); // 10 and a twentieth of 23
        for (int i = 0; i < 40; i++) {
            assertThat(examplesUntilDue(learner, i % 2)).isBetween(12, 30);
        }
        assertThat(examplesUntilDue(learner, 1.0)).isEqualTo(30);
    }

    private static int examplesUntilDue(LoopLearner learner, double reward) {
        int examples = 0;
        while (!learner.snapshotDue()) {
            learner.learn(example(0, 0.5, reward), 0);
            examples++;
        }
        Object unused = learner.freeze(true);
        return examples;
    }

    @Test
    void theLearnerMayChangeAtAnyTime() {
        LoopRun run = new LoopRun(spec(LearnerKind.BEST));
        run.take(115);
        run.loop().change(changed(run, LearnerKind.REWARD_MODEL), run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.SPEC_CHANGED);
        assertThat(run.loop().learner().buffered()).isZero();
        run.take(115);
        assertThat(run.loop().learner().rewardModelState().orElseThrow().progress().examples())
                .isEqualTo(230);
        run.loop().change(changed(run, LearnerKind.LPR), run);
        assertThat(run.loop().learner().rewardModelState()).isEmpty();
        assertThat(run.active()).isPositive();
        assertThat(run.loop().learner().progress().priorVersion())
                .as("LPR could learn nothing around a greedy version")
                .isZero();
        assertThat(run.loop().learner().parameters()).containsOnly(0.0f);
        run.take(115);
        assertThat(run.loop().learner().buffered()).isPositive();
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.PROMOTED);
    }

    @Test
    void aNewRewardModelMustBeAheadOfWhatLprHasLearned() {
        for (LearnerKind added : List.of(LearnerKind.BEST, LearnerKind.REWARD_MODEL)) {
            LoopRun run = new LoopRun(spec(LearnerKind.LPR));
            run.take(119);
            long active = run.active();
            assertThat(active).isPositive();
            run.loop().change(changed(run, added), run);
            run.take(1); // a candidate is due
            assertThat(run.active()).isEqualTo(active);
            run.take(4_000);
            assertThat(run.active()).isGreaterThan(active);
            assertThat(run.candidates).anyMatch(Candidate::fromRewardModel);
        }
    }

    @Test
    void certificatesStartAgainWithAVersionOfTheRewardModel() {
        LoopRun run = new LoopRun(spec(LearnerKind.BEST));
        run.take(45);
        assertThat(run.loop().learner().progress().activeVersion()).isEqualTo(1);
        assertThat(run.loop().learner().progress().certifiedFrom()).isEqualTo(40);
    }

    private static LoopSpec changed(LoopRun run, LearnerKind learner) {
        LoopSpec spec = run.loop().spec();
        return spec.toBuilder()
                .set(LoopSettings.LEARNER, learner)
                .at(spec.version() + 1, spec.time())
                .build();
    }

    @Test
    void onlyLprHasThePosteriorOfAMixedLogit() {
        LoopSpec.Builder mixed =
                Specs.vectors(2, 2)
                        .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                        .set(LoopSettings.PROPENSITY_KIND, PropensityKind.UPPER_BOUND)
                        .set(LoopSettings.VARIANCE, OptionalDouble.of(0.1));
        LoopSpec best = mixed.set(LoopSettings.LEARNER, LearnerKind.BEST).build();
        assertThat(best.learner()).isEqualTo(LearnerKind.LPR);
        assertThatIllegalArgumentException()
                .isThrownBy(mixed.set(LoopSettings.LEARNER, LearnerKind.REWARD_MODEL)::build)
                .withMessageStartingWith("learner must be lpr or best with a mixed logit");
    }
}
