package io.counterflow.experiments.worlds;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.spec.LoopSpec;

/**
 * The baseline that fits on a page: online logistic regression with AdaGrad on the features of the
 * chosen action. It learns from every example at once and chooses the best predicted action, ties
 * at random, except for the exploration floor.
 */
final class LogisticAgent implements Agent {

    static final double RATE = 0.1;

    private final double[] weights; // the last one is the bias that all actions share
    private final double[] squaredGradients;
    private final double floor;
    private final int actions; // with biases of their own

    LogisticAgent(World world) {
        LoopSpec spec = world.spec().build();
        LinearModel shape = spec.startingModel();
        int parameters = Math.toIntExact(shape.weightCount() + shape.biasCount() + 1);
        this.weights = new double[parameters];
        this.squaredGradients = new double[parameters];
        this.actions = shape.biasCount();
        this.floor = spec.decisionRule().explorationFloor();
    }

    @Override
    public Choice decide(Request request, EventRandom random) {
        int n = request.actions();
        double[] scores = new double[n];
        double best = Double.NEGATIVE_INFINITY;
        int ties = 0;
        for (int a = 0; a < n; a++) {
            if (request.allowed().contains(a)) {
                scores[a] = score(request.features(), a);
                ties = scores[a] > best ? 1 : ties + (scores[a] == best ? 1 : 0);
                best = Math.max(best, scores[a]);
            }
        }
        for (int a = 0; a < n; a++) {
            boolean allowed = request.allowed().contains(a);
            double greedy = allowed && scores[a] == best ? (1.0 - floor) / ties : 0.0;
            scores[a] = allowed ? greedy + floor / request.allowed().count(n) : 0.0;
        }
        return new Choice(Decision.drawnFrom(scores, random), 0);
    }

    @Override
    public void learn(Request request, Choice choice, double reward) {
        int action = choice.decision().action();
        double p = 1.0 / (1.0 + Math.exp(-score(request.features(), action)));
        forEach(request.features(), action, (at, value) -> step(at, (p - reward) * value));
    }

    private double score(Features features, int action) {
        double[] sum = {0.0};
        forEach(features, action, (at, value) -> sum[0] += weights[at] * value);
        return sum[0];
    }

    private void step(int at, double gradient) {
        if (gradient != 0.0) {
            squaredGradients[at] += gradient * gradient;
            weights[at] -= RATE * gradient / Math.sqrt(squaredGradients[at]);
        }
    }

    private void forEach(Features features, int action, Entries entries) {
        if (features instanceof ActionFeatures phi) {
            for (int i = phi.rowStart(action); i < phi.rowStart(action + 1); i++) {
                entries.accept(phi.index(i), phi.value(i));
            }
        } else {
            float[] x = ((DenseVector) features).values();
            for (int j = 0; j < x.length; j++) {
                entries.accept(action * x.length + j, x[j]);
            }
            entries.accept(actions * x.length + action, 1.0);
        }
        entries.accept(weights.length - 1, 1.0);
    }

    private interface Entries {
        void accept(int at, double value);
    }
}
