package io.counterflow.core.bound;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;

/**
 * The gradient of the logging policy's regularised likelihood ({@code
 * eq:learn_log_policy_objective}) at given parameters. Its norm tells how far they are from the
 * minimum.
 *
 * <p>Biases are penalised like weights, as {@link LearnedPrior} requires, even if the training did
 * not penalise them.
 */
final class LikelihoodGradient {

    private LikelihoodGradient() {}

    /**
     * ‖∇ ((1/n) Σ −ln ς<sub>θ</sub>(a|x) + λ‖θ‖²)‖ over weights and biases.
     *
     * @param log at least one example that fits the model
     */
    public static double norm(LinearModel model, ExampleLog log, double lambda) {
        double squared =
                model instanceof DenseModel dense
                        ? ofBlocks(dense, log, lambda)
                        : ofSharedWeights((HashedModel) model, log, lambda);
        return Math.sqrt(squared);
    }

    private static double ofBlocks(DenseModel model, ExampleLog log, double lambda) {
        int actions = model.actions();
        int dimension = model.dimension();
        double[][] gradient = new double[actions][dimension + 1]; // the bias at the end
        double[] errors = new double[actions];
        for (int i = 0; i < log.size(); i++) {
            errors(model, log, i, errors, actions);
            float[] x = ((FeatureVector) log.features(i)).toArray();
            for (int k = 0; k < actions; k++) {
                for (int j = 0; j < dimension; j++) {
                    gradient[k][j] += errors[k] * x[j];
                }
                gradient[k][dimension] += errors[k];
            }
        }
        double squared = 0.0;
        float[] biases = model.biases();
        for (int k = 0; k < actions; k++) {
            float[] weights = model.weights(k);
            for (int j = 0; j <= dimension; j++) {
                double parameter = j < dimension ? weights[j] : biases[k];
                double g = gradient[k][j] / log.size() + 2.0 * lambda * parameter;
                squared += g * g;
            }
        }
        return squared;
    }

    private static double ofSharedWeights(HashedModel model, ExampleLog log, double lambda) {
        double[] gradient = new double[1 << model.bits()];
        double[] errors = new double[0];
        for (int i = 0; i < log.size(); i++) {
            ActionFeatures phi = (ActionFeatures) log.features(i);
            int actions = phi.actions();
            errors = errors.length < actions ? new double[actions] : errors;
            errors(model, log, i, errors, actions);
            for (int k = 0; k < actions; k++) {
                for (int e = phi.rowStart(k); e < phi.rowStart(k + 1); e++) {
                    gradient[phi.index(e)] += errors[k] * phi.value(e);
                }
            }
        }
        double squared = 0.0;
        for (int p = 0; p < gradient.length; p++) {
            double g = gradient[p] / log.size() + 2.0 * lambda * model.weight(p);
            squared += g * g;
        }
        return squared;
    }

    /** π<sub>k</sub> − 1{k=a}, the derivative with respect to the score of action k. */
    private static void errors(
            LinearModel model, ExampleLog log, int i, double[] errors, int actions) {
        AllowedActions allowed = log.allowed(i);
        model.scores(log.features(i), errors);
        allowed.gather(errors, actions);
        Softmax.inPlace(errors, allowed.count(actions));
        allowed.scatter(errors, actions);
        errors[log.action(i)] -= 1.0;
    }
}
