package io.counterflow.cli.experiment;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The paper's table: each method with the λ that cross-validation chooses for it, trained on all of
 * the log and judged on test data.
 *
 * <p>POEM-L2 takes POEM's choice for the variance and chooses its λ after it; the methods with a
 * learned prior take the choice of those with the known one. So a trial has three rounds.
 */
final class Table1 implements Experiment<Table1Report> {

    static final String NAME = "table1";

    private final Setup setup;
    private final Table1Plan plan;
    private final ResultFile results;

    Table1(Setup setup, Table1Plan plan, ResultFile results) {
        this.setup = setup;
        this.plan = plan;
        this.results = results;
    }

    /** What one method reached in one trial. */
    record Entry(int trial, Method method, Strength strength, Reward reward) {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long examplesLeft() {
        long examples = setup.trials() * plan.examples(setup.logged());
        long log = setup.logged();
        for (UnitKey done : results.keys()) {
            boolean whole = done.fold() == UnitKey.WHOLE_LOG;
            int planned = whole ? plan.epochs() : plan.tuningEpochs();
            if (setup.has(done, NAME) && done.epochs() == planned) {
                examples -= planned * (whole ? log : log - log / plan.folds());
            }
        }
        return Math.max(0, examples);
    }

    @Override
    public Table1Report run(UnitPool pool) {
        List<Entry> entries = new ArrayList<>();
        for (int trial = 0; trial < setup.trials(); trial++) {
            int number = trial;
            Lazy<LoggedTrial> logged = new Lazy<>(() -> setup.trial(number).logged(1.0));
            Map<Method, Strength> chosen = tune(number, logged, pool);
            entries.addAll(judge(number, logged, chosen, pool));
        }
        return new Table1Report(setup, plan, entries, pool.done(), pool.found());
    }

    private Map<Method, Strength> tune(int trial, Supplier<LoggedTrial> logged, UnitPool pool) {
        CrossValidation validation = new CrossValidation(setup, plan, trial, logged, results);
        Map<Method, List<Strength>> grids = new EnumMap<>(Method.class);
        for (Method method : plan.tuned()) {
            if (method != Method.POEM_L2) {
                grids.put(method, plan.grid(method).stream().map(Strength::of).toList());
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
        Judged judged = new Judged(setup, NAME);
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
                    Reward reward = new Reward(found.stochastic(), found.argmax());
                    entries.add(new Entry(trial, method, strength, reward));
                });
        return entries;
    }
}
