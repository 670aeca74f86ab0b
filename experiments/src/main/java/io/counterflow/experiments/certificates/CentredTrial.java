package io.counterflow.experiments.certificates;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.experiments.data.LabelledSet;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.List;

/**
 * A trial with the mean m of its labelled contexts subtracted from every context.
 *
 * <p>w·x + b = w·(x − m) + (b + w·m): policies stay what they are, and features become shorter, for
 * which a bound pays. The mean does not come from the log.
 *
 * @param log the log of the trial
 * @param logging its logging policy
 * @param test test data
 */
record CentredTrial(ExampleLog log, DenseModel logging, LabelledSet test) {

    static CentredTrial of(Setup setup) {
        Trial trial = setup.trial(0);
        LoggedTrial logged = trial.logged(1.0);
        float[] mean = trial.labelledMean();
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < logged.log().size(); i++) {
            LoggedExample example = logged.log().example(i);
            log.add(
                    new LoggedExample(
                            minus((FeatureVector) example.features(), mean),
                            example.action(),
                            example.propensity(),
                            example.reward(),
                            0));
        }
        DenseModel logging = (DenseModel) logged.logging();
        float[][] weights = new float[logging.actions()][];
        float[] biases = logging.biases();
        DenseVector centre = DenseVector.of(mean);
        for (int k = 0; k < weights.length; k++) {
            weights[k] = logging.weights(k);
            biases[k] = centre.dot(weights[k], biases[k]);
        }
        LabelledSet test = setup.data().test();
        List<DenseVector> contexts = new ArrayList<>();
        int[] labels = new int[test.size()];
        for (int i = 0; i < labels.length; i++) {
            contexts.add(minus(test.context(i), mean));
            labels[i] = test.label(i);
        }
        return new CentredTrial(
                log, new DenseModel(weights, biases), new LabelledSet(contexts, labels));
    }

    private static DenseVector minus(FeatureVector x, float[] mean) {
        float[] difference = x.toArray();
        for (int j = 0; j < difference.length; j++) {
            difference[j] -= mean[j];
        }
        return DenseVector.owning(difference);
    }

    /** Examples {@code from} to {@code to} − 1 of the log. */
    ExampleLog part(int from, int to) {
        ExampleLog part = new ExampleLog();
        for (int i = from; i < to; i++) {
            part.add(log.example(i));
        }
        return part;
    }
}
