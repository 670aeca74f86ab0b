package io.counterflow.core.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.policy.DecisionRule;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ObjectiveNameTest {

    private static final ObjectiveSettings SETTINGS =
            ObjectiveSettings.of(0.02, 0.1, 0.4)
                    .withVarianceLambda(0.7)
                    .withTrust(5.0)
                    .with(new BayesianSetting(100, 0.1, 0.5, 2.0, 6));

    @ParameterizedTest
    @EnumSource
    void anObjectiveHasTheNameAndCentreThatItWasAskedFor(ObjectiveName name) {
        Objective objective = name.objective(SETTINGS);
        assertThat(objective.name()).isEqualTo(name.toString());
        assertThat(objective.centre()).isEqualTo(name.centre());
        assertThat(ObjectiveName.named(name.toString())).isEqualTo(name);
    }

    @ParameterizedTest
    @EnumSource
    void aStreamCanLearnWhatHasAFixedLossOrAVariance(ObjectiveName name) {
        boolean fixedLoss = name.objective(SETTINGS).fixedLoss().isPresent();
        assertThat(ObjectiveName.ofStreams().contains(name))
                .isEqualTo(fixedLoss || name.isBayesian());
    }

    @Test
    void settingsReachTheObjective() {
        assertThat(ObjectiveName.IPS_LPR.objective(SETTINGS))
                .isEqualTo(Objectives.ipsLpr(0.1, 0.02));
        assertThat(ObjectiveName.IPS_L2.objective(SETTINGS)).isEqualTo(Objectives.ipsL2(0.1, 0.02));
        assertThat(ObjectiveName.WNLL_LPR.objective(SETTINGS))
                .isEqualTo(Objectives.wnllLpr(0.1, 0.02));
        assertThat(ObjectiveName.LS_LPR.objective(SETTINGS)).isEqualTo(Objectives.lsLpr(0.4, 0.02));
        assertThat(ObjectiveName.TRUST_LPR.objective(SETTINGS))
                .isEqualTo(Objectives.trustLpr(5.0, 0.02));
        assertThat(ObjectiveName.POEM.objective(SETTINGS)).isEqualTo(Objectives.poem(0.1, 0.7));
        assertThat(ObjectiveName.POEM_L2.objective(SETTINGS))
                .isEqualTo(Objectives.poemL2(0.1, 0.7, 0.02));
    }

    @Test
    void theRuleThatServesGivesTheShareOfTheSoftmax() {
        ObjectiveSettings served = SETTINGS.servedBy(DecisionRule.softmax(3.0, 0.25));
        assertThat(served.softmaxShare()).isEqualTo(0.75);
        assertThat(ObjectiveName.IPS_LPR.objective(served))
                .isEqualTo(Objectives.ipsLpr(0.1, 0.02).withSoftmaxShare(0.75))
                .isNotEqualTo(Objectives.ipsLpr(0.1, 0.02));
        assertThat(ObjectiveName.POEM.objective(served))
                .isEqualTo(Objectives.poem(0.1, 0.7).withSoftmaxShare(0.75));
    }

    @Test
    void withoutAFloorTheObjectiveIsThePlainOne() {
        assertThat(Objectives.wnllLpr(0.1, 0.02).withSoftmaxShare(1.0))
                .isEqualTo(Objectives.wnllLpr(0.1, 0.02));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Objectives.wnllLpr(0.1, 0.02).withSoftmaxShare(1.5))
                .withMessage("share must be in [0, 1], got 1.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Objectives.poem(0.1, 0.02).withSoftmaxShare(-0.5))
                .withMessage("softmaxShare must be in [0, 1], got -0.5");
    }

    @Test
    void anUnknownNameIsRefusedAndCutShort() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ObjectiveName.named("x".repeat(50)))
                .withMessage(
                        "objective must be one of ips-lpr, wnll-lpr, ls-lpr, trust-lpr, ips-l2,"
                                + " poem, poem-l2, bcrm, bcrm-convex, got \"%s\"",
                        "x".repeat(40));
        assertThatThrownBy(() -> ObjectiveName.BCRM.objective(ObjectiveSettings.of(0.1, 0.1, 0.1)))
                .isInstanceOf(NoSuchElementException.class);
    }
}
