package io.counterflow.experiments.table1;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.UnitPool;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Folds;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodTraining;
import io.counterflow.experiments.trial.Seeds;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Chooses the strength of the regulariser without test data. For each fold, a policy is trained on
 * the other folds and evaluated on this one by truncated IPS.
 */
final class CrossValidation {

    private final Setup setup;
    private final int folds;
    private final int epochs;
    private final int trial;
    private final Supplier<LoggedTrial> logged;
    private final Lazy<Folds> split;
    private final ResultFile results;

    CrossValidation(
            Setup setup,
            Table1Plan plan,
            int trial,
            Supplier<LoggedTrial> logged,
            ResultFile results) {
        this.setup = setup;
        this.folds = plan.folds();
        this.epochs = plan.tuningEpochs();
        this.trial = trial;
        this.logged = logged;
        this.split = new Lazy<>(() -> new Folds(logged.get(), folds, setup.seed()));
        this.results = results;
    }

    /** Chooses the best strength of each method's grid; the last one of equal strengths. */
    Map<Method, Strength> choose(Map<Method, List<Strength>> grids, UnitPool pool) {
        List<WorkUnit> units = new ArrayList<>();
        grids.forEach(
                (method, grid) -> {
                    if (grid.size() > 1) {
                        units.addAll(units(method, grid));
                    }
                });
        pool.run(units);
        Map<Method, Strength> chosen = new EnumMap<>(Method.class);
        grids.forEach((method, grid) -> chosen.put(method, best(method, grid)));
        return chosen;
    }

    /** The units of work that are needed to choose among several strengths. */
    List<WorkUnit> units(Method method, List<Strength> grid) {
        return grid.stream().flatMap(strength -> units(method, strength).stream()).toList();
    }

    /** Number of examples that one unit processes. */
    long examplesOfUnit() {
        return (long) epochs * (setup.logged() - setup.logged() / folds);
    }

    /** Whether a key is that of a fold of this cross-validation. */
    boolean isOfFold(UnitKey key) {
        return key.fold() != UnitKey.WHOLE_LOG
                && key.epochs() == epochs
                && key.setting().endsWith(foldsSetting());
    }

    private String foldsSetting() {
        return "folds=" + folds;
    }

    private List<WorkUnit> units(Method method, Strength strength) {
        List<WorkUnit> units = new ArrayList<>();
        for (int fold = 0; fold < folds; fold++) {
            int left = fold;
            units.add(
                    WorkUnit.of(
                            key(method, strength, fold),
                            examplesOfUnit(),
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
        String setting = strength.setting();
        return setup.key(
                Table1.NAME,
                trial,
                method.toString(),
                (setting.isEmpty() ? "" : setting + ' ') + foldsSetting(),
                strength.lambda(),
                fold,
                epochs);
    }

    private Strength best(Method method, List<Strength> grid) {
        Strength best = grid.get(0);
        double highest = Double.NEGATIVE_INFINITY;
        for (Strength strength : grid) {
            double estimate = grid.size() == 1 ? 0.0 : estimate(method, strength);
            if (estimate >= highest) {
                highest = estimate;
                best = strength;
            }
        }
        return best;
    }

    private double estimate(Method method, Strength strength) {
        double sum = 0.0;
        for (int fold = 0; fold < folds; fold++) {
            sum += results.requireHoldout(key(method, strength, fold));
        }
        return sum / folds;
    }
}
