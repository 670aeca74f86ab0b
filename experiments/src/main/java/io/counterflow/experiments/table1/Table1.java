package io.counterflow.experiments.table1;

import io.counterflow.experiments.report.ExperimentReport;
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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The paper's table. Cross-validation chooses λ for each method; then the method is trained on the
 * whole log and evaluated on test data.
 *
 * <p>POEM-L2 uses the variance λ of POEM and then chooses its own λ. Methods with a learned prior
 * use the λ of the methods with the known prior. So a trial has three rounds.
 */
final class Table1 extends Experiment {

    static final String NAME = "table1";

    private final Table1Plan plan;

    Table1(Setup setup, Table1Plan plan, ResultFile results) {
        super(NAME, setup, results);
        this.plan = plan;
    }

    /** Strengths that are not chosen yet count as the first ones of their grids. */
    @Override
    protected List<WorkUnit> planned(int trial) {
        return units(trial, true).get();
    }

    @Override
    protected Supplier<List<WorkUnit>> units(int trial) {
        return units(trial, false);
    }

    /**
     * The units of a trial.
     *
     * @param all whether to add units whose strengths are not chosen yet
     */
    private Supplier<List<WorkUnit>> units(int trial, boolean all) {
        Lazy<LoggedTrial> logged = logged(trial);
        CrossValidation validation = new CrossValidation(setup, plan, trial, logged, results, all);
        return () -> {
            List<WorkUnit> units = new ArrayList<>(validation.units());
            for (Method method : plan.methods()) {
                validation
                        .strength(method)
                        .map(it -> trained(key(trial, method, it), method, it, logged))
                        .ifPresent(units::add);
            }
            return units;
        };
    }

    private Lazy<LoggedTrial> logged(int trial) {
        return new Lazy<>(() -> setup.trial(trial).logged(1.0));
    }

    @Override
    protected ExperimentReport report() {
        return new Table1Report(
                        setup, plan, plan.methods().stream().sorted().map(this::row).toList())
                .report();
    }

    private Table1Report.Row row(Method method) {
        List<Strength> strengths =
                IntStream.range(0, setup.trials())
                        .mapToObj(trial -> chosen(trial, method))
                        .toList();
        Rewards rewards =
                rewards(method.title(), trial -> key(trial, method, strengths.get(trial)));
        return new Table1Report.Row(method, strengths, rewards);
    }

    private UnitKey key(int trial, Method method, Strength strength) {
        return trainedKey(trial, method, strength, plan.epochs(), "");
    }

    private Strength chosen(int trial, Method method) {
        return new CrossValidation(setup, plan, trial, logged(trial), results, false)
                .strength(method)
                .orElseThrow();
    }
}
