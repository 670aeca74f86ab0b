package io.counterflow.experiments.trial;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.Rewards;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.UnitPool;
import io.counterflow.experiments.run.WorkUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** An experiment: runs the units of work of several trials and reports their results. */
public abstract class Experiment {

    protected final String name;
    protected final Setup setup;
    protected final ResultFile results;

    protected Experiment(String name, Setup setup, ResultFile results) {
        this.name = name;
        this.setup = setup;
        this.results = results;
    }

    /**
     * The units of a trial. The supplier is called again when its units are done, and then also
     * returns units that depend on their results.
     */
    protected abstract Supplier<List<WorkUnit>> units(int trial);

    /** The report. The file has all results. */
    protected abstract ExperimentReport report();

    /** Number of examples that are left to process. Existing results are not computed again. */
    public final long examplesLeft() {
        return IntStream.range(0, setup.trials())
                .mapToLong(trial -> results.examplesLeft(planned(trial)))
                .sum();
    }

    /** All units of a trial, as far as they are known. */
    protected List<WorkUnit> planned(int trial) {
        return units(trial).get();
    }

    /** Runs all trials, except for existing results. */
    final ExperimentReport run(UnitPool pool) {
        pool.runTrials(setup.trials(), trial -> runTrial(units(trial), pool));
        return report();
    }

    private static void runTrial(Supplier<List<WorkUnit>> units, UnitPool pool) {
        Set<List<UnitKey>> begun = new HashSet<>();
        List<WorkUnit> next = units.get();
        while (!next.isEmpty()) {
            next.forEach(unit -> begun.add(unit.keys()));
            pool.run(next);
            next = units.get().stream().filter(unit -> !begun.contains(unit.keys())).toList();
        }
    }

    /**
     * A unit that trains a method on the whole log of a trial and evaluates it on test data.
     *
     * @param key a {@link #trainedKey}
     */
    protected final WorkUnit trained(
            UnitKey key, Method method, Strength strength, Supplier<LoggedTrial> logged) {
        return WorkUnit.of(
                key,
                (long) key.epochs() * setup.logged(),
                steps -> {
                    LoggedTrial log = logged.get();
                    LinearModel model = log.logging();
                    if (method.isTrained()) {
                        long order = Seeds.order(setup.seed(), key.trial(), UnitKey.WHOLE_LOG);
                        model =
                                new MethodTraining(method, strength, key.epochs(), order)
                                        .run(
                                                log,
                                                log.log(),
                                                epoch -> steps.accept(log.log().size()));
                    }
                    return onTest(model);
                });
    }

    /**
     * The key of a unit that trains a method.
     *
     * @param setting settings other than the strength; empty if there are none
     */
    protected final UnitKey trainedKey(
            int trial, Method method, Strength strength, int epochs, String setting) {
        return setup.key(
                name,
                trial,
                method.toString(),
                (setting + ' ' + strength.setting()).strip(),
                strength.lambda(),
                UnitKey.WHOLE_LOG,
                method.isTrained() ? epochs : 0);
    }

    protected final Measured onTest(LinearModel model) {
        return onTest(VersionParameters.of(model));
    }

    /** The reward of a version on test data; with a variance, that of its mixed logit. */
    protected final Measured onTest(VersionParameters version) {
        return Measured.onTest(TestReward.of(version, setup.data().test()));
    }

    /** The test rewards of all trials. */
    protected final Rewards rewards(String title, IntFunction<UnitKey> key) {
        return new Rewards(
                title,
                IntStream.range(0, setup.trials())
                        .mapToObj(trial -> results.require(key.apply(trial)).reward())
                        .toList());
    }
}
