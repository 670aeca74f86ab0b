package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.GateState;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The holdout of a loop, as the loop sees it. */
final class HoldoutTest {

    private static final AllowedActions ALL = AllowedActions.ALL;
    private static final LoopSpec SPEC =
            Specs.dense().toBuilder()
                    .set(LoopSettings.ROLLOUT_MODE, RolloutMode.MANUAL)
                    .set(LoopSettings.HOLDOUT_SHARE, 0.1)
                    .at(1, Instant.EPOCH)
                    .build();

    private static LoopSpec version(long baseline, long specVersion) {
        return SPEC.toBuilder()
                .set(LoopSettings.HOLDOUT_VERSION, OptionalLong.of(baseline))
                .at(specVersion, Instant.EPOCH)
                .build();
    }

    private static LoggedExample withPropensity(LoggedExample example, double propensity) {
        return new LoggedExample(
                example.features(),
                example.allowed(),
                example.action(),
                propensity,
                example.reward(),
                example.policyVersion());
    }

    @Test
    void anExampleOfTheHoldoutChangesNothingInTheGateEvenWithAWrongPropensity() {
        LoopRun run =
                new LoopRun(
                        SPEC.toBuilder()
                                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                                .set(LoopSettings.CANARY_SHARE, 0.0)
                                .build());
        run.take(45); // version 1 is compared with version 0, which is also the baseline
        assertThat(run.loop().gate().rollout().candidateVersion()).hasValue(1);
        GateState before = run.loop().gate().state();
        run.takeHoldout(run.draw(0, ALL));
        run.takeHoldout(withPropensity(run.draw(0, ALL), 0.99));
        assertThat(run.loop().gate().state()).isEqualTo(before);
        run.take(1);
        assertThat(run.loop().gate().state()).as("other examples count").isNotEqualTo(before);
    }

    @Test
    void anExampleOfTheHoldoutIsLearnedFromWithItsOwnPropensity() {
        LoopRun run = new LoopRun(SPEC);
        run.takeHoldout(run.draw(0, ALL));
        assertThat(run.loop().learner().received()).isEqualTo(1);
        assertThat(run.loop().learner().buffered()).isEqualTo(1);
    }

    @Test
    void thePropensityOfTheHoldoutIsCheckedWithTheBaselineVersion() {
        LoopRun run = new LoopRun(SPEC);
        run.take(40);
        run.take(40);
        run.take(40);
        run.ask(Action.PROMOTE, 2);
        run.ask(Action.PROMOTE, 3); // the previous version is 2, so 0 and 1 are not in the rollout
        run.loop().change(version(1, 2), run);
        LoggedExample example = run.draw(1, ALL);
        assertThat(run.take(example, 2).recomputed()).as("not in the holdout").isNaN();
        ComparedExample compared = run.takeHoldout(example);
        assertThat(compared.recomputed()).isEqualTo(example.propensity());
        assertThat(compared.isMismatch()).isFalse();
        LoggedExample wrong = withPropensity(example, example.propensity() / 2.0);
        assertThat(run.takeHoldout(wrong).isMismatch()).isTrue();
        assertThat(run.takeHoldout(run.draw(0, ALL)).recomputed())
                .as("an earlier baseline")
                .isNaN();
    }

    @Test
    void certificatesKeepTheExamplesBeforeOneOfTheHoldout() {
        LoopRun run = new LoopRun(SPEC);
        run.take(38);
        run.takeHoldout(run.draw(0, ALL)); // of the active version, with a correct propensity
        run.take(1);
        assertThat(run.candidates.get(0).certificate().orElseThrow().n()).isEqualTo(40);
    }

    @Test
    void theBaselineVersionIsKeptAsLongAsASpecNamesIt() {
        LoopRun run = new LoopRun(SPEC, new LoopLimits(Specs.MANY_BYTES, 3));
        run.take(40);
        run.loop().change(version(1, 2), run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.SPEC_CHANGED);
        take(run, 400);
        assertThat(run.versions.versions()).contains(1L);
        assertThat(run.forgotten).contains(2L, 3L).doesNotContain(1L);
        run.loop().change(SPEC.toBuilder().at(3, Instant.EPOCH).build(), run);
        take(run, 80);
        assertThat(run.forgotten).contains(1L);
    }

    @Test
    void theBaselineOfASpecThatWaitsIsKept() {
        LoopRun run = new LoopRun(SPEC, new LoopLimits(Specs.MANY_BYTES, 3));
        run.take(45);
        run.loop().change(version(1, 2).with(LoopSettings.LAMBDA, 0.5), run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.SPEC_WAITS);
        take(run, 400);
        assertThat(run.versions.versions()).contains(1L);
        run.ask(Action.PROMOTE);
        assertThat(run.loop().spec().holdoutVersion()).isEqualTo(1);
        run.takeHoldout(run.draw(1, ALL));
        assertThat(run.loop().holdout().state()).isPresent();
    }

    @Test
    void aBaselineThatIsNotStoredIsRefused() {
        LoopRun run = new LoopRun(SPEC);
        run.take(40);
        run.loop().change(version(7, 2), run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.SPEC_REFUSED);
        assertThat(run.lastChange().reason())
                .isEqualTo("spec version 2; holdoutVersion must be a stored version, got 7");
        assertThat(run.loop().spec()).isEqualTo(SPEC);
        assertThatThrownBy(() -> new LoopRun(version(7, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("holdoutVersion must be a stored version, got 7");
    }

    @Test
    void theStartingVersionIsABaselineEvenIfItIsNoLongerStored() {
        LoopRun run = new LoopRun(SPEC, new LoopLimits(Specs.MANY_BYTES, 2));
        LoggedExample example = run.draw(0, ALL);
        for (int i = 0; i < 4; i++) {
            run.take(40);
            run.ask(Action.PROMOTE);
        }
        take(run, 200);
        assertThat(run.versions.versions()).doesNotContain(0L);
        assertThat(run.takeHoldout(example).recomputed()).isEqualTo(example.propensity());
        run.loop().change(version(0, 2), run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.SPEC_CHANGED);
    }

    private static void take(LoopRun run, int n) {
        for (int i = 0; i < n; i++) {
            run.take(run.draw(run.active(), ALL));
        }
    }
}
