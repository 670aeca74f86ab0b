package io.counterflow.experiments.table1;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.trial.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The methods of the table, and how their λ is chosen.
 *
 * @param methods rows of the table, without duplicates
 * @param lambdas values of λ to try, in ascending order; a single value is used without
 *     cross-validation
 * @param varianceLambdas values of the variance λ of POEM to try, in ascending order
 * @param folds number of folds of the cross-validation
 * @param tuningEpochs passes during cross-validation
 * @param epochs passes of the policy that is evaluated on test data
 */
record Table1Plan(
        List<Method> methods,
        List<Double> lambdas,
        List<Double> varianceLambdas,
        int folds,
        int tuningEpochs,
        int epochs) {

    Table1Plan {
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

    /** The number of epochs in the paper. */
    static int epochs(ClassificationData.Kind kind) {
        return switch (kind) {
            case FASHION_MNIST -> 500;
            case CIFAR_100 -> 1_000;
        };
    }

    /** The values to try for a method. */
    List<Double> grid(Method method) {
        return method.regularisesVariance() ? varianceLambdas : lambdas;
    }

    /** Whether cross-validation chooses a value, either the variance λ of POEM or λ. */
    boolean chooses(boolean variance) {
        return tuned().stream()
                .anyMatch(it -> it.regularisesVariance() == variance && grid(it).size() > 1);
    }

    /** The methods whose λ must be chosen. A method comes after the methods that it depends on. */
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
