package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.report.Curve;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.Plots;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.report.Rewards;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Experiment;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Trains methods without tuning for several values of one number: the strength of the regulariser
 * or the quality of the logging policy.
 */
final class Sweep extends Experiment {

    /** The varied number. */
    enum Axis {
        /** λ of the methods. */
        LAMBDA("lambda-sweep"),
        /** β of the logging policy. */
        TEMPERATURE("temperature-sweep");

        private final String label;

        Axis(String label) {
            this.label = label;
        }

        /** The experiment's name. */
        @Override
        public String toString() {
            return label;
        }
    }

    /**
     * The plan of a sweep.
     *
     * @param axis the varied number
     * @param values its values, in ascending order
     * @param methods methods to compare, without duplicates
     * @param lambda λ, if it is not varied
     * @param epochs passes over the log
     */
    record Plan(Axis axis, List<Double> values, List<Method> methods, double lambda, int epochs) {

        Plan {
            values = values.stream().distinct().sorted().toList();
            methods = methods.stream().distinct().toList();
            Require.atLeast(1, values.size(), "values");
            Require.atLeast(1, epochs, "epochs");
            if (methods.contains(Method.LOGGING_POLICY) || methods.contains(Method.POEM_L2)) {
                throw new IllegalArgumentException(
                        "a sweep needs methods with one lambda, got " + methods);
            }
        }
    }

    private final Plan plan;
    private final boolean variesLambda;

    Sweep(Setup setup, Plan plan, ResultFile results) {
        super(plan.axis().toString(), setup, results);
        this.plan = plan;
        this.variesLambda = plan.axis() == Axis.LAMBDA;
    }

    @Override
    protected Supplier<List<WorkUnit>> units(int number) {
        Lazy<Trial> trial = new Lazy<>(() -> setup.trial(number));
        Lazy<LoggedTrial> plain = new Lazy<>(() -> trial.get().logged(1.0));
        List<WorkUnit> units = new ArrayList<>();
        for (double value : plan.values()) {
            Lazy<LoggedTrial> logged =
                    variesLambda ? plain : new Lazy<>(() -> trial.get().logged(value));
            List<Method> methods = new ArrayList<>(plan.methods());
            if (!variesLambda || value == plan.values().get(0)) {
                methods.add(Method.LOGGING_POLICY); // does not depend on λ, so once is enough
            }
            for (Method method : methods) {
                Strength strength = strength(method, value);
                units.add(trained(key(number, method, value), method, strength, logged));
            }
        }
        return () -> units;
    }

    private UnitKey key(int trial, Method method, double value) {
        String setting = variesLambda ? "" : "inverse-temperature=" + value;
        return trainedKey(trial, method, strength(method, value), plan.epochs(), setting);
    }

    private Strength strength(Method method, double value) {
        return method.isTrained()
                ? Strength.of(variesLambda ? value : plan.lambda())
                : Strength.NONE;
    }

    private Curve curve(Method method) {
        String title = method.title();
        return new Curve(
                title,
                plan.values().stream()
                        .map(value -> rewards(title, trial -> key(trial, method, value)))
                        .map(Rewards::stochastic)
                        .toList());
    }

    @Override
    protected ExperimentReport report() {
        List<Double> values = plan.values();
        List<Curve> curves = plan.methods().stream().map(this::curve).toList();
        List<Curve> references =
                List.of(
                        curve(Method.LOGGING_POLICY),
                        Curve.flat("uniform", values.size(), 1.0 / setup.data().classes()));
        ResultTable<Integer> table =
                new ResultTable<>(IntStream.range(0, values.size()).boxed().toList())
                        .numbers(
                                variesLambda ? "lambda" : "inverseTemperature",
                                variesLambda ? "λ" : "β",
                                values::get,
                                Figures::setting);
        Stream.concat(curves.stream(), references.stream())
                .forEach(curve -> table.intervals(curve.title(), curve.rewards()::get));
        String fixed = variesLambda ? "" : "λ = " + Figures.setting(plan.lambda());
        String introduction =
                """
                Expected test reward on %s after %s%s, mean of %s and half the width of its 95 %% confidence
                interval, seed %d."""
                        .formatted(
                                setup.data().kind(),
                                Figures.count(plan.epochs(), "epoch", "epochs"),
                                variesLambda ? "" : " with " + fixed,
                                setup.countedTrials(),
                                setup.seed());
        ExperimentReport report =
                setup.report(name, introduction, table)
                        .fact("epochs", plan.epochs())
                        .plot(
                                Plots.curves(
                                        "%s, %d epochs%s"
                                                .formatted(
                                                        setup.data().kind(),
                                                        plan.epochs(),
                                                        variesLambda ? "" : ", " + fixed),
                                        variesLambda
                                                ? "λ"
                                                : "inverse temperature β of the logging policy",
                                        variesLambda && values.get(0) > 0.0,
                                        values,
                                        curves,
                                        references));
        return variesLambda ? report : report.fact("lambda", plan.lambda());
    }
}
