package io.counterflow.experiments.streaming;

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
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Seeds;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * Tunes the settings of the stream on held-out contexts of the training data. Test data is not
 * used.
 */
final class StreamTuning implements Experiment<StreamTuningReport> {

    static final String NAME = "streaming-tune";

    /** One of this many contexts is held out for the evaluation. */
    private static final int JUDGING_PART = 6;

    private final Setup setup;
    private final List<StreamSettings> grid;
    private final int generations;
    private final ResultFile results;

    StreamTuning(Setup setup, List<StreamSettings> grid, int generations, ResultFile results) {
        this.setup = setup;
        this.grid = List.copyOf(grid);
        this.generations = generations;
        this.results = results;
    }

    /** Number of contexts to learn from. */
    private int learned() {
        return setup.logged() - setup.logged() / JUDGING_PART;
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
    public StreamTuningReport run(UnitPool pool) {
        pool.runTrials(setup.trials(), trial -> pool.run(units(trial)));
        List<StreamTuningReport.Tried> tried = new ArrayList<>();
        for (StreamSettings settings : grid) {
            List<Double> stream = new ArrayList<>();
            List<Double> continual = new ArrayList<>();
            for (int trial = 0; trial < setup.trials(); trial++) {
                stream.add(results.requireHoldout(streamKey(trial, settings)));
                continual.add(results.requireHoldout(continualKey(trial, settings)));
            }
            tried.add(
                    new StreamTuningReport.Tried(
                            settings, Summary.of(stream).mean(), Summary.of(continual).mean()));
        }
        return new StreamTuningReport(setup, tried, pool.done(), pool.found());
    }

    private List<WorkUnit> units(int number) {
        Lazy<Trial> trial = new Lazy<>(() -> setup.trial(number));
        Lazy<LoggedTrial> logged = new Lazy<>(() -> trial.get().loggedFirst(learned()));
        long seed = Seeds.stream(setup.seed(), number);
        Map<UnitKey, WorkUnit> units = new LinkedHashMap<>(); // a log does not depend on the floor
        for (StreamSettings settings : grid) {
            UnitKey stream = streamKey(number, settings);
            units.put(
                    stream,
                    WorkUnit.of(
                            stream,
                            settings.cost(learned()),
                            steps ->
                                    judge(
                                            new StreamRun(settings, seed)
                                                    .learn(logged.get(), steps),
                                            trial.get())));
            UnitKey continual = continualKey(number, settings);
            units.put(
                    continual,
                    WorkUnit.of(
                            continual,
                            settings.cost(learned()),
                            steps ->
                                    judge(
                                            lastGeneration(settings, trial.get(), steps),
                                            trial.get())));
        }
        return List.copyOf(units.values());
    }

    private LinearModel lastGeneration(StreamSettings settings, Trial trial, LongConsumer steps) {
        List<LinearModel> policies =
                new StreamRun(settings, Seeds.stream(setup.seed(), trial.number()))
                        .learnInGenerations(
                                trial, setup.data().train(), learned(), generations, steps);
        return policies.get(policies.size() - 1);
    }

    /** Evaluates a model on the held-out contexts. */
    private Measured judge(LinearModel model, Trial trial) {
        int first = learned();
        TestReward reward =
                TestReward.of(
                        model,
                        setup.data().train(),
                        trial.contexts() - first,
                        i -> trial.context(first + i));
        return Measured.onHoldout(reward.stochastic());
    }

    private UnitKey streamKey(int trial, StreamSettings settings) {
        return key(trial, Streaming.BUFFER_STEPS, settings.setting(), settings);
    }

    private UnitKey continualKey(int trial, StreamSettings settings) {
        String setting = "%s generations=%d".formatted(settings.settingWithFloor(), generations);
        return key(trial, Streaming.CONTINUAL, setting, settings);
    }

    private UnitKey key(int trial, String method, String setting, StreamSettings settings) {
        return setup.key(NAME, trial, method, setting, settings.lambda(), UnitKey.WHOLE_LOG, 1);
    }
}
