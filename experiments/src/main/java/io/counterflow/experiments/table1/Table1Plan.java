package io.counterflow.experiments.table1;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.trial.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the table compares, and how each method's λ is chosen.
 *
 * @param methods rows of the table, each once
 * @param lambdas values of λ that are tried, rising; a single one is taken as it is
 * @param varianceLambdas values that are tried for the variance in POEM, rising
 * @param folds of the cross-validation
 * @param tuningEpochs passes while choosing
 * @param epochs passes of the policy that is judged on test data
 */
public record Table1Plan(
        List<Method> methods,
        List<Double> lambdas,
        List<Double> varianceLambdas,
        int folds,
        int tuningEpochs,
        int epochs) {

    static final List<Double> LAMBDAS = List.of(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3);
    static final List<Double> VARIANCE_LAMBDAS = List.of(1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2);
    static final int FOLDS = 5;
    static final int TUNING_EPOCHS = 100;

    public Table1Plan {
        methods = methods.stream().distinct().toList();
        lambdas = lambdas.stream().distinct().sorted().toList();
        varianceLambdas = varianceLambdas.stream().distinct().sorted().toList();
        Require.atLeast(1, methods.size(), "methods");
        Require.atLeast(1, lambdas.size(), "lambdas");
        Require.atLeast(1, varianceLambdas.size(), "varianceLambdas");
        Require.atLeast(2, folds, "folds");
        Require.atLeast(1, tuningEpochs, "tuningEpochs");
        Require.atLeast(1, epochs, "epochs");
    }

    /** As many epochs as the paper trains for. */
    static int epochs(ClassificationData.Kind kind) {
        return switch (kind) {
            case FASHION_MNIST -> 500;
            case CIFAR_100 -> 1_000;
        };
    }

    /** The values that are tried for a method. */
    List<Double> grid(Method method) {
        return method.regularisesVariance() ? varianceLambdas : lambdas;
    }

    /** Whether a value is chosen from several: of the variance in POEM, or of λ. */
    boolean chooses(boolean variance) {
        return tuned().stream()
                .anyMatch(it -> it.regularisesVariance() == variance && grid(it).size() > 1);
    }

    /** The methods whose λ has to be chosen, in an order in which each finds what it builds on. */
    List<Method> tuned() {
        Set<Method> tuned = EnumSet.noneOf(Method.class);
        for (Method method : methods) {
            if (method.isTrained()) {
                tuned.add(method.tunedAs());
            }
            if (method == Method.POEM_L2) {
                tuned.add(Method.POEM);
            }
        }
        return List.copyOf(tuned);
    }
}
