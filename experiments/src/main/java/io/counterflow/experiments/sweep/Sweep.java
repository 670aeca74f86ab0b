package io.counterflow.experiments.sweep;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.report.Curve;
import io.counterflow.experiments.report.Summary;
import io.counterflow.experiments.run.Experiment;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.UnitPool;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Evaluated;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Trains methods without tuning for several values of one number: the strength of the regulariser
 * or the quality of the logging policy.
 */
public final class Sweep implements Experiment<SweepCurves> {

    /** The varied number. */
    public enum Axis {
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
    public record Plan(
            Axis axis, List<Double> values, List<Method> methods, double lambda, int epochs) {

        public Plan {
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

    private final Setup setup;
    private final Plan plan;
    private final ResultFile results;
    private final Evaluated judged;

    Sweep(Setup setup, Plan plan, ResultFile results) {
        this.setup = setup;
        this.plan = plan;
        this.results = results;
        this.judged = new Evaluated(setup, plan.axis().toString());
    }

    @Override
    public String name() {
        return plan.axis().toString();
    }

    @Override
    public long examplesLeft() {
        return IntStream.range(0, setup.trials())
                .mapToLong(trial -> results.examplesLeft(units(trial)))
                .sum();
    }

    @Override
    public SweepCurves run(UnitPool pool) {
        pool.runTrials(setup.trials(), trial -> pool.run(units(trial)));
        List<Curve> curves = new ArrayList<>();
        plan.methods().forEach(method -> curves.add(curve(method)));
        return new SweepCurves(
                setup, plan, curves, curve(Method.LOGGING_POLICY), pool.done(), pool.found());
    }

    private List<WorkUnit> units(int number) {
        Lazy<Trial> trial = new Lazy<>(() -> setup.trial(number));
        Lazy<LoggedTrial> plain = new Lazy<>(() -> trial.get().logged(1.0));
        List<WorkUnit> units = new ArrayList<>();
        for (double value : plan.values()) {
            Lazy<LoggedTrial> logged =
                    plan.axis() == Axis.LAMBDA
                            ? plain
                            : new Lazy<>(() -> trial.get().logged(value));
            for (Method method : plan.methods()) {
                units.add(unit(number, method, value, logged));
            }
            if (plan.axis() == Axis.TEMPERATURE || value == plan.values().get(0)) {
                // The logging policy does not depend on λ, so one result is enough.
                units.add(unit(number, Method.LOGGING_POLICY, value, logged));
            }
        }
        return units;
    }

    private WorkUnit unit(int trial, Method method, double value, Lazy<LoggedTrial> logged) {
        return judged.unit(
                trial, method, strength(method, value), plan.epochs(), setting(value), logged);
    }

    private Strength strength(Method method, double value) {
        if (!method.isTrained()) {
            return Strength.of(0.0);
        }
        return Strength.of(plan.axis() == Axis.LAMBDA ? value : plan.lambda());
    }

    private String setting(double value) {
        return plan.axis() == Axis.TEMPERATURE ? "inverse-temperature=" + value : "";
    }

    private Curve curve(Method method) {
        List<Curve.Point> points = new ArrayList<>();
        for (double value : plan.values()) {
            List<Double> rewards = new ArrayList<>();
            for (int trial = 0; trial < setup.trials(); trial++) {
                UnitKey key =
                        judged.key(
                                trial,
                                method,
                                strength(method, value),
                                plan.epochs(),
                                setting(value));
                rewards.add(results.require(key).stochastic());
            }
            points.add(new Curve.Point(value, Summary.of(rewards)));
        }
        return new Curve(method.title(), points);
    }
}
