package io.counterflow.experiments.table1;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Folds;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodTraining;
import io.counterflow.experiments.trial.Seeds;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Chooses the strength of the regulariser without test data. For each fold, a policy is trained on
 * the other folds and evaluated on this one by truncated IPS.
 */
final class CrossValidation {

    private final Setup setup;
    private final Table1Plan plan;
    private final int trial;
    private final Supplier<LoggedTrial> logged;
    private final Lazy<Folds> split;
    private final ResultFile results;
    private final boolean assumeFirst;

    /**
     * @param assumeFirst whether the first strength of a grid counts as chosen while results are
     *     missing
     */
    CrossValidation(
            Setup setup,
            Table1Plan plan,
            int trial,
            Supplier<LoggedTrial> logged,
            ResultFile results,
            boolean assumeFirst) {
        this.setup = setup;
        this.plan = plan;
        this.trial = trial;
        this.logged = logged;
        this.split = new Lazy<>(() -> new Folds(logged.get(), plan.folds(), setup.seed()));
        this.results = results;
        this.assumeFirst = assumeFirst;
    }

    /** The units of work of all methods. POEM-L2 has none before the variance λ is chosen. */
    List<WorkUnit> units() {
        return plan.tuned().stream()
                .flatMap(method -> units(method, grid(method)).stream())
                .toList();
    }

    /** The chosen strength of a method; empty if results are missing. */
    Optional<Strength> strength(Method method) {
        if (!method.isTrained()) {
            return Optional.of(Strength.NONE);
        }
        Method tuned = method.tunedAs();
        List<Strength> grid = grid(tuned);
        if (units(tuned, grid).stream().allMatch(results::has)) {
            return best(tuned, grid);
        }
        return assumeFirst ? Optional.of(grid.get(0)) : Optional.empty();
    }

    /** The strengths to try; none if they depend on a strength that is not chosen yet. */
    private List<Strength> grid(Method method) {
        List<Double> lambdas = plan.grid(method);
        if (method != Method.POEM_L2) {
            return lambdas.stream().map(Strength::of).toList();
        }
        return strength(Method.POEM)
                .map(poem -> lambdas.stream().map(it -> new Strength(it, poem.lambda())).toList())
                .orElse(List.of());
    }

    /** The units of work that are needed to choose among strengths; none for a single one. */
    private List<WorkUnit> units(Method method, List<Strength> grid) {
        return grid.size() == 1
                ? List.of()
                : grid.stream().flatMap(strength -> units(method, strength).stream()).toList();
    }

    /** The best strength, the last one of equal strengths; empty if there is none. */
    private Optional<Strength> best(Method method, List<Strength> grid) {
        Optional<Strength> best = Optional.empty();
        double highest = Double.NEGATIVE_INFINITY;
        for (Strength strength : grid) {
            double estimate = grid.size() == 1 ? 0.0 : estimate(method, strength);
            if (estimate >= highest) {
                highest = estimate;
                best = Optional.of(strength);
            }
        }
        return best;
    }

    private double estimate(Method method, Strength strength) {
        double sum = 0.0;
        for (int fold = 0; fold < plan.folds(); fold++) {
            sum += results.requireHoldout(key(method, strength, fold));
        }
        return sum / plan.folds();
    }

    private List<WorkUnit> units(Method method, Strength strength) {
        int epochs = plan.tuningEpochs();
        int others = setup.logged() - setup.logged() / plan.folds();
        List<WorkUnit> units = new ArrayList<>();
        for (int fold = 0; fold < plan.folds(); fold++) {
            int left = fold;
            units.add(
                    WorkUnit.of(
                            key(method, strength, fold),
                            (long) epochs * others,
                            steps -> {
                                ExampleLog examples = split.get().training(left);
                                long order = Seeds.order(setup.seed(), trial, left);
                                LinearModel model =
                                        new MethodTraining(method, strength, epochs, order)
                                                .run(
                                                        logged.get(),
                                                        examples,
                                                        epoch -> steps.accept(examples.size()));
                                return Measured.onHoldout(split.get().estimate(model, left));
                            }));
        }
        return units;
    }

    private UnitKey key(Method method, Strength strength, int fold) {
        return setup.key(
                Table1.NAME,
                trial,
                method.toString(),
                (strength.setting() + " folds=" + plan.folds()).strip(),
                strength.lambda(),
                fold,
                plan.tuningEpochs());
    }
}
