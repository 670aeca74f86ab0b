package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.report.Summary;
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
import io.counterflow.experiments.trial.Seeds;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Compares the streaming learner with offline training on the same log: in one pass, with buffer
 * steps, and in generations that make their own decisions.
 */
final class Streaming implements Experiment<StreamingReport> {

    static final String NAME = "streaming";

    static final String BUFFER_STEPS = "bufferSteps";
    static final String CONTINUAL = "continual";
    private static final String ONE_PASS = "one-pass";
    private static final Method OFFLINE = Method.IPS_LPR_FROM_PRIOR;

    /**
     * The plan of this experiment.
     *
     * @param settings settings of the loop
     * @param generations number of generations
     * @param epochs passes of offline training
     */
    record Plan(StreamSettings settings, int generations, int epochs) {

        Plan {
            Require.atLeast(1, generations, "generations");
            Require.atLeast(1, epochs, "epochs");
        }
    }

    private final Setup setup;
    private final Plan plan;
    private final ResultFile results;
    private final Evaluated judged;

    Streaming(Setup setup, Plan plan, ResultFile results) {
        this.setup = setup;
        this.plan = plan;
        this.results = results;
        this.judged = new Evaluated(setup, NAME);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long examplesLeft() {
        return IntStream.range(0, setup.trials())
                .mapToLong(trial -> results.examplesLeft(units(trial)))
                .sum();
    }

    @Override
    public StreamingReport run(UnitPool pool) {
        pool.runTrials(setup.trials(), trial -> pool.run(units(trial)));
        StreamSettings settings = plan.settings();
        List<StreamingReport.Row> rows = new ArrayList<>();
        rows.add(row("logging policy", this::loggingKey));
        rows.add(row("one pass", trial -> streamKey(trial, ONE_PASS, settings.withBufferSteps(0))));
        rows.add(
                row(
                        "one pass with buffer steps",
                        trial -> streamKey(trial, BUFFER_STEPS, settings)));
        for (int i = 0; i < plan.generations(); i++) {
            int generation = i;
            rows.add(
                    row(
                            "generation " + (generation + 1),
                            trial -> generationKeys(trial).get(generation)));
        }
        String passes = Figures.count(plan.epochs(), "epoch", "epochs");
        rows.add(row("offline, %s, %s".formatted(OFFLINE.title(), passes), this::offlineKey));
        return new StreamingReport(setup, plan, rows, pool.done(), pool.found());
    }

    private List<WorkUnit> units(int number) {
        Lazy<Trial> trial = new Lazy<>(() -> setup.trial(number));
        Lazy<LoggedTrial> logged = new Lazy<>(() -> trial.get().logged(1.0));
        StreamSettings settings = plan.settings();
        return List.of(
                judged.unit(
                        number, Method.LOGGING_POLICY, Strength.of(0.0), plan.epochs(), "", logged),
                judged.unit(number, OFFLINE, offline(), plan.epochs(), "", logged),
                stream(number, ONE_PASS, settings.withBufferSteps(0), logged),
                stream(number, BUFFER_STEPS, settings, logged),
                new WorkUnit(
                        generationKeys(number),
                        settings.cost(setup.logged()),
                        steps ->
                                new StreamRun(settings, Seeds.stream(setup.seed(), number))
                                                .learnInGenerations(
                                                        trial.get(),
                                                        setup.data().train(),
                                                        setup.logged(),
                                                        plan.generations(),
                                                        steps)
                                                .stream()
                                                .map(this::onTest)
                                                .toList()));
    }

    private WorkUnit stream(
            int trial, String method, StreamSettings settings, Supplier<LoggedTrial> logged) {
        return WorkUnit.of(
                streamKey(trial, method, settings),
                settings.cost(setup.logged()),
                steps ->
                        onTest(
                                new StreamRun(settings, Seeds.stream(setup.seed(), trial))
                                        .learn(logged.get(), steps)));
    }

    private Measured onTest(LinearModel model) {
        return Measured.onTest(TestReward.of(model, setup.data().test()));
    }

    private Strength offline() {
        return Strength.of(plan.settings().lambda());
    }

    private UnitKey loggingKey(int trial) {
        return judged.key(trial, Method.LOGGING_POLICY, Strength.of(0.0), plan.epochs(), "");
    }

    private UnitKey offlineKey(int trial) {
        return judged.key(trial, OFFLINE, offline(), plan.epochs(), "");
    }

    private UnitKey streamKey(int trial, String method, StreamSettings settings) {
        return key(trial, method, settings.setting());
    }

    private List<UnitKey> generationKeys(int trial) {
        List<UnitKey> keys = new ArrayList<>();
        for (int generation = 1; generation <= plan.generations(); generation++) {
            keys.add(
                    key(
                            trial,
                            CONTINUAL,
                            "%s generation=%d-of-%d"
                                    .formatted(
                                            plan.settings().settingWithFloor(),
                                            generation,
                                            plan.generations())));
        }
        return keys;
    }

    private UnitKey key(int trial, String method, String setting) {
        return setup.key(
                NAME, trial, method, setting, plan.settings().lambda(), UnitKey.WHOLE_LOG, 1);
    }

    private StreamingReport.Row row(String title, IntFunction<UnitKey> key) {
        List<Double> stochastic = new ArrayList<>();
        List<Double> argmax = new ArrayList<>();
        for (int trial = 0; trial < setup.trials(); trial++) {
            Measured found = results.require(key.apply(trial));
            stochastic.add(found.stochastic());
            argmax.add(found.argmax());
        }
        return new StreamingReport.Row(title, Summary.of(stochastic), Summary.of(argmax));
    }
}
