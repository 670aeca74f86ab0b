package io.counterflow.core.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class PoemObjectiveTest {

    private static final double LOG_HALF = StrictMath.log(0.5);

    @Test
    void theMajorisersCoefficientsAreThoseOfASmallLogWorkedOutByHand() {
        // π = 1/2 everywhere, u = −r min(π/p, 1/τ): −1·min(1, 4) = −1 and −1·min(5, 4) = −4.
        // ū = −2.5, V = 2·1.5² = 4.5, B = λ/√2 · 2 / (2√4.5) = λ/3 = 0.1, A = 1 + 2·0.1·2.5 = 1.5.
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.5, 1.0, 0));
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.1, 1.0, 0));
        PoemObjective objective = new PoemObjective("poem", 0.25, 0.3, 0.0, 1.0);
        PoemLoss loss = (PoemLoss) objective.lossForEpoch(pass(log, LOG_HALF));
        assertThat(loss.maxWeight()).isEqualTo(4.0);
        assertThat(loss.linear()).isCloseTo(1.5, within(1e-12));
        assertThat(loss.quadratic()).isCloseTo(0.1, within(1e-12));
        // −2.5 + 0.3 √(4.5/2) = −2.05.
        assertThat(objective.dataTerm(log, pass(log, LOG_HALF).logProbabilities()))
                .isCloseTo(-2.05, within(1e-12));
    }

    /**
     * Equal numbers whose mean is rounded have a variance of about 1e-34; dividing by its root
     * would give huge gradients that AdaGrad keeps for ever.
     */
    @Test
    void equalTermsHaveNoVarianceWhateverRoundingMakesOfTheirMean() {
        ExampleLog log = new ExampleLog();
        for (int n = 1; n <= 300; n++) {
            log.add(new LoggedExample(DenseVector.of(1.0f), 0, 1.0 / 3.0, 0.1, 0));
            assertThat(Objectives.poem(0.01, 10.0).lossForEpoch(pass(log, LOG_HALF)))
                    .as("%d equal examples", n)
                    .isEqualTo(new PoemLoss(100.0, 1.0, 0.0));
        }
    }

    private static SamplePass pass(ExampleLog log, double logProbability) {
        double[] logProbabilities = new double[log.size()];
        Arrays.fill(logProbabilities, logProbability);
        return new SamplePass() {
            @Override
            public ExampleLog log() {
                return log;
            }

            @Override
            public double[] logProbabilities() {
                return logProbabilities;
            }
        };
    }
}
