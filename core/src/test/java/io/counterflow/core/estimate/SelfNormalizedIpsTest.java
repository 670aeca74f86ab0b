package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class SelfNormalizedIpsTest extends ValueEstimatorContract<SelfNormalizedIps> {

    @Override
    SelfNormalizedIps create() {
        return new SelfNormalizedIps();
    }

    @Test
    void dividesByTheSumOfWeights() {
        SelfNormalizedIps estimator = SmallLog.addedTo(create());
        // Σ w r = 8.125, Σ w = 23.25
        double v = 8.125 / 23.25;
        assertThat(estimator.value()).isCloseTo(v, within(1e-15));
        double sum =
                4.0 * (1.0 - v) * (1.0 - v)
                        + 0.0625 * (0.5 - v) * (0.5 - v)
                        + 81.0 * v * v
                        + 144.0 * (0.5 - v) * (0.5 - v);
        assertThat(estimator.standardError())
                .isCloseTo(Math.sqrt(sum * 4.0 / 3.0) / 23.25, within(1e-12));
    }

    @Test
    void onItsOwnLogTheErrorIsThatOfAMean() {
        SelfNormalizedIps estimator = create();
        OnPolicyMean mean = new OnPolicyMean();
        for (int i = 0; i < 10; i++) {
            estimator.add(0.4, 0.4, i / 10.0);
            mean.add(0.4, 0.4, i / 10.0);
        }
        assertThat(estimator.standardError()).isCloseTo(mean.standardError(), within(1e-15));
    }

    @Test
    void aPolicyThatNeverChoosesWhatWasLoggedIsUnknown() {
        SelfNormalizedIps estimator = create();
        estimator.add(0.0, 0.5, 1.0);
        estimator.add(0.0, 0.5, 1.0);
        assertThat(estimator.value()).isZero();
        assertThat(estimator.standardError()).isInfinite();
    }

    @Test
    void hasNoEmpiricalBernsteinInterval() {
        assertThatThrownBy(() -> SmallLog.addedTo(create()).empiricalBernsteinInterval(0.05))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
