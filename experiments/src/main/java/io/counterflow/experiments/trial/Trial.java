package io.counterflow.experiments.trial;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.data.LabelledSet;
import java.util.Arrays;

/**
 * One random split of the training data. The logging policy is trained on some labelled examples
 * and decides the contexts of the others.
 */
public final class Trial {

    private final LabelledSet set;
    private final long seed;
    private final int number;
    private final int[] labelled;
    private final int[] contexts;
    private final LinearModel logging;

    private Trial(
            LabelledSet set,
            long seed,
            int number,
            int[] labelled,
            int[] contexts,
            LinearModel logging) {
        this.set = set;
        this.seed = seed;
        this.number = number;
        this.labelled = labelled;
        this.contexts = contexts;
        this.logging = logging;
    }

    /** Splits the data and trains the logging policy. */
    static Trial split(ClassificationData data, LoggingSettings settings, long seed, int number) {
        LabelledSet set = data.train();
        if (settings.supervised() >= set.size()) {
            throw new BadInputException(
                    "the logging policy must be trained on fewer examples than there are, %,d of %,d"
                            .formatted(settings.supervised(), set.size()));
        }
        int[] order = Seeds.permutation(set.size(), Seeds.random(seed, number, "split"));
        ExampleLog supervised = new ExampleLog();
        for (int at = 0; at < settings.supervised(); at++) {
            int i = order[at];
            supervised.add(new LoggedExample(set.context(i), set.label(i), 1.0, 1.0, 0));
        }
        LinearModel logging =
                MethodTraining.imitate(
                        supervised,
                        DenseModel.zeros(data.classes(), set.dimension()),
                        settings.lambda(),
                        settings.epochs(),
                        Seeds.random(seed, number, "supervised").nextLong());
        int[] contexts = Arrays.copyOfRange(order, settings.supervised(), order.length);
        int[] labelled = Arrays.copyOf(order, settings.supervised());
        return new Trial(set, seed, number, labelled, contexts, logging);
    }

    /** The policy that was trained on the labelled examples. */
    public LinearModel logging() {
        return logging;
    }

    /** The mean of the labelled contexts, which are not in any log of this trial. */
    public float[] labelledMean() {
        float[] sum = new float[set.dimension()];
        for (int i : labelled) {
            set.context(i).addTo(1.0f / labelled.length, sum);
        }
        return sum;
    }

    /** Number of contexts to decide. */
    public int contexts() {
        return contexts.length;
    }

    /** The position of a context in the training data. */
    public int context(int i) {
        return contexts[i];
    }

    /**
     * Logs all contexts.
     *
     * @param inverseTemperature β, by which weights and biases of the logging policy are
     *     multiplied: 1 does not change the policy, 0 makes it uniform
     */
    public LoggedTrial logged(double inverseTemperature) {
        LinearModel policy =
                inverseTemperature == 1.0 ? logging : logging.scaled(inverseTemperature);
        return LoggedTrial.of(set, contexts, policy, seed, number);
    }

    /** Logs only the first contexts. The others are held out for the evaluation. */
    public LoggedTrial loggedFirst(int count) {
        return LoggedTrial.of(set, Arrays.copyOf(contexts, count), logging, seed, number);
    }
}
