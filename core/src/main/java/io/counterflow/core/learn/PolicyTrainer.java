package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.policy.LinearModel;
import java.util.function.IntConsumer;

/**
 * Trains a policy offline, as in the paper's experiments: mini-batch AdaGrad over a log that is
 * shuffled again at each epoch.
 */
public final class PolicyTrainer {

    private final Objective objective;
    private final TrainerConfig config;

    public PolicyTrainer(Objective objective, TrainerConfig config) {
        this.objective = objective;
        this.config = config;
    }

    /** The result of a training run. {@code objective} includes the regulariser. */
    public record Trained(LinearModel model, double objective, long steps) {}

    /**
     * Trains on a log.
     *
     * @param prior the logging policy's parameters; zeros if there is none
     * @param epochDone called after each epoch with the number of completed epochs
     */
    public Trained train(ExampleLog log, LinearModel prior, IntConsumer epochDone) {
        log.requireFit(prior);
        LinearModel centre = objective.centre() == Objective.Centre.PRIOR ? prior : prior.zeros();
        LinearModel start = config.start() == TrainerConfig.Start.PRIOR ? prior : prior.zeros();
        int n = log.size();
        Learner learner =
                Learner.start(
                        start,
                        centre,
                        objective.strength(),
                        config.inverseTemperature(),
                        config.optimizer(),
                        Math.min(config.batchSize(), n));
        if (objective.regularisesBiases()) {
            learner.regulariseBiases();
        }
        LearnerPass sample = new LearnerPass(log, learner);
        EventRandom random = new EventRandom(config.seed());
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        double[] coefficients = new double[n];
        long steps = 0;
        for (int epoch = 0; epoch < config.epochs(); epoch++) {
            ExampleLoss loss = objective.lossForEpoch(sample);
            for (int i = 0; i < n; i++) {
                coefficients[i] = loss.coefficient(log.propensity(i), log.reward(i));
            }
            shuffle(order, random);
            for (int from = 0; from < n; from += config.batchSize()) {
                int to = Math.min(from + config.batchSize(), n);
                learner.step(log, coefficients, loss, order, from, to);
                steps++;
            }
            epochDone.accept(epoch + 1);
        }
        LinearModel model = learner.model();
        double[] finalLogProbabilities = new double[n];
        learner.logProbabilities(log, finalLogProbabilities);
        double squaredDistance =
                model.squaredDistance(centre)
                        + (objective.regularisesBiases() ? model.squaredBiasDistance(centre) : 0.0);
        double value =
                objective.dataTerm(log, finalLogProbabilities)
                        + objective.strength() * squaredDistance;
        return new Trained(model, value, steps);
    }

    /** Shuffles by the algorithm of Fisher and Yates. */
    private static void shuffle(int[] order, EventRandom random) {
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
    }
}
