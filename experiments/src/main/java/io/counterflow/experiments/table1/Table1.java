package io.counterflow.experiments.table1;

import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.run.Experiment;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.UnitPool;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Evaluated;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The paper's table. Cross-validation chooses λ for each method; then the method is trained on the
 * whole log and evaluated on test data.
 *
 * <p>POEM-L2 uses the variance λ of POEM and then chooses its own λ. Methods with a learned prior
 * use the λ of the methods with the known prior. So a trial has three rounds.
 */
public final class Table1 implements Experiment<Table1Report> {

    static final String NAME = "table1";

    private final Setup setup;
    private final Table1Plan plan;
    private final ResultFile results;

    public Table1(Setup setup, Table1Plan plan, ResultFile results) {
        this.setup = setup;
        this.plan = plan;
        this.results = results;
    }

    /** The result of one method in one trial. */
    record Entry(int trial, Method method, Strength strength, TestReward reward) {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long examplesLeft() {
        return IntStream.range(0, setup.trials()).mapToLong(this::examplesLeft).sum();
    }

    /**
     * Number of examples that are left to process. Strengths that are not chosen yet have no keys.
     * For them, all existing results of the same method count as done, with any strength.
     */
    private long examplesLeft(int trial) {
        CrossValidation validation = validation(trial, new Lazy<>(() -> logged(trial)));
        long left = 0;
        for (Method method : plan.tuned()) {
            List<Double> grid = plan.grid(method);
            if (grid.size() > 1 && method != Method.POEM_L2) {
                left += results.examplesLeft(validation.units(method, strengths(method)));
            } else if (grid.size() > 1) {
                long planned = (long) grid.size() * plan.folds();
                long done = count(trial, method, key -> validation.isOfFold(key));
                left += Math.max(0, planned - done) * validation.examplesOfUnit();
            }
        }
        for (Method method : plan.methods()) {
            boolean done = count(trial, method, this::isJudged) > 0;
            if (method.isTrained() && !done) {
                left += (long) plan.epochs() * setup.logged();
            }
        }
        return left;
    }

    private long count(int trial, Method method, Predicate<UnitKey> kind) {
        return results.keys().stream()
                .filter(key -> setup.has(key, NAME) && key.trial() == trial)
                .filter(key -> key.method().equals(method.toString()))
                .filter(key -> plan.grid(method).contains(key.lambda()))
                .filter(kind)
                .count();
    }

    private boolean isJudged(UnitKey key) {
        return key.fold() == UnitKey.WHOLE_LOG && key.epochs() == plan.epochs();
    }

    @Override
    public Table1Report run(UnitPool pool) {
        Map<Integer, List<Entry>> byTrial = new ConcurrentSkipListMap<>();
        pool.runTrials(
                setup.trials(),
                trial -> {
                    Lazy<LoggedTrial> logged = new Lazy<>(() -> logged(trial));
                    Map<Method, Strength> chosen = tune(validation(trial, logged), pool);
                    byTrial.put(trial, judge(trial, logged, chosen, pool));
                });
        List<Entry> entries = byTrial.values().stream().flatMap(List::stream).toList();
        return new Table1Report(setup, plan, entries, pool.done(), pool.found());
    }

    private LoggedTrial logged(int trial) {
        return setup.trial(trial).logged(1.0);
    }

    private CrossValidation validation(int trial, Lazy<LoggedTrial> logged) {
        return new CrossValidation(setup, plan, trial, logged, results);
    }

    private List<Strength> strengths(Method method) {
        return plan.grid(method).stream().map(Strength::of).toList();
    }

    private Map<Method, Strength> tune(CrossValidation validation, UnitPool pool) {
        Map<Method, List<Strength>> grids = new EnumMap<>(Method.class);
        for (Method method : plan.tuned()) {
            if (method != Method.POEM_L2) {
                grids.put(method, strengths(method));
            }
        }
        Map<Method, Strength> chosen = new EnumMap<>(Method.class);
        chosen.putAll(validation.choose(grids, pool));
        if (plan.tuned().contains(Method.POEM_L2)) {
            double variance = chosen(chosen, Method.POEM).lambda();
            List<Strength> grid =
                    plan.grid(Method.POEM_L2).stream()
                            .map(it -> new Strength(it, variance))
                            .toList();
            chosen.putAll(validation.choose(Map.of(Method.POEM_L2, grid), pool));
        }
        return chosen;
    }

    private static Strength chosen(Map<Method, Strength> chosen, Method method) {
        Strength strength = chosen.get(method);
        if (strength == null) {
            throw new IllegalStateException("no strength was chosen for " + method);
        }
        return strength;
    }

    private List<Entry> judge(
            int trial, Supplier<LoggedTrial> logged, Map<Method, Strength> chosen, UnitPool pool) {
        Map<Method, Strength> strengths = new EnumMap<>(Method.class);
        List<WorkUnit> units = new ArrayList<>();
        Evaluated judged = new Evaluated(setup, NAME);
        for (Method method : plan.methods()) {
            Strength strength =
                    method.isTrained() ? chosen(chosen, method.tunedAs()) : Strength.of(0.0);
            strengths.put(method, strength);
            units.add(judged.unit(trial, method, strength, plan.epochs(), "", logged));
        }
        pool.run(units);
        List<Entry> entries = new ArrayList<>();
        strengths.forEach(
                (method, strength) -> {
                    UnitKey key = judged.key(trial, method, strength, plan.epochs(), "");
                    Measured found = results.require(key);
                    TestReward reward = new TestReward(found.stochastic(), found.argmax());
                    entries.add(new Entry(trial, method, strength, reward));
                });
        return entries;
    }
}
