package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Require;
import java.util.Optional;

/** An objective whose loss is the same in every epoch: a plain mean over the examples. */
record FixedLossObjective(
        String name, ExampleLoss loss, double strength, Centre centre, boolean regularisesBiases)
        implements Objective {

    FixedLossObjective {
        Require.finiteAtLeastZero(strength, "lambda");
    }

    /** Without regularised biases. */
    FixedLossObjective(String name, ExampleLoss loss, double strength, Centre centre) {
        this(name, loss, strength, centre, false);
    }

    @Override
    public ExampleLoss lossForEpoch(SamplePass pass) {
        return loss;
    }

    @Override
    public Optional<ExampleLoss> fixedLoss() {
        return Optional.of(loss);
    }

    @Override
    public Objective withSoftmaxShare(double share) {
        return new FixedLossObjective(name, loss.times(share), strength, centre, regularisesBiases);
    }

    @Override
    public double dataTerm(ExampleLog log, double[] logProbabilities) {
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            double propensity = log.propensity(i);
            sum +=
                    loss.loss(
                            loss.coefficient(propensity, log.reward(i)),
                            propensity,
                            logProbabilities[i]);
        }
        return sum / log.size();
    }
}
