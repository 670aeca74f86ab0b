package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Experiment;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Seeds;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Tunes the settings of the stream on held-out contexts of the training data. Test data is not
 * used.
 */
final class StreamTuning extends Experiment {

    static final String NAME = "streaming-tune";

    /** One of this many contexts is held out for the evaluation. */
    private static final int JUDGING_PART = 6;

    private final List<StreamSettings> grid;
    private final int generations;

    StreamTuning(Setup setup, List<StreamSettings> grid, int generations, ResultFile results) {
        super(NAME, setup, results);
        this.grid = grid.stream().distinct().toList();
        this.generations = generations;
    }

    /** Number of contexts to learn from. */
    private int learned() {
        return setup.logged() - setup.logged() / JUDGING_PART;
    }

    @Override
    protected Supplier<List<WorkUnit>> units(int number) {
        Lazy<Trial> trial = new Lazy<>(() -> setup.trial(number));
        Lazy<LoggedTrial> logged = new Lazy<>(() -> trial.get().loggedFirst(learned()));
        long seed = Seeds.stream(setup.seed(), number);
        Set<StreamSettings> ofStreams = new LinkedHashSet<>(); // a log does not depend on the floor
        grid.forEach(settings -> ofStreams.add(settings.withFloor(0.0)));
        List<WorkUnit> units = new ArrayList<>();
        for (StreamSettings settings : ofStreams) {
            StreamRun run = new StreamRun(settings, seed);
            UnitKey key = streamKey(number, settings);
            units.add(unit(key, settings, trial, steps -> run.learn(logged.get(), steps)));
        }
        for (StreamSettings settings : grid) {
            StreamRun run = new StreamRun(settings, seed);
            UnitKey key = continualKey(number, settings);
            units.add(unit(key, settings, trial, steps -> lastGeneration(run, trial.get(), steps)));
        }
        return () -> units;
    }

    private WorkUnit unit(
            UnitKey key,
            StreamSettings settings,
            Lazy<Trial> trial,
            Function<LongConsumer, VersionParameters> learn) {
        return WorkUnit.of(
                key, settings.cost(learned()), steps -> judge(learn.apply(steps), trial.get()));
    }

    private VersionParameters lastGeneration(StreamRun run, Trial trial, LongConsumer steps) {
        List<VersionParameters> policies =
                run.learnInGenerations(trial, setup.data().train(), learned(), generations, steps);
        return policies.get(policies.size() - 1);
    }

    /** Evaluates a version on the held-out contexts. */
    private Measured judge(VersionParameters version, Trial trial) {
        int first = learned();
        TestReward reward =
                TestReward.of(
                        version,
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

    @Override
    protected ExperimentReport report() {
        ResultTable<Tried> table =
                new ResultTable<>(
                                grid.stream()
                                        .map(this::tried)
                                        .sorted(Comparator.comparingDouble(Tried::worse).reversed())
                                        .toList())
                        .values("objective", it -> it.settings().objective().toString())
                        .numbers("lambda", "λ", it -> it.settings().lambda(), Figures::setting)
                        .values("batch", it -> it.settings().batch())
                        .numbers(
                                "learningRate",
                                "rate",
                                it -> it.settings().learningRate(),
                                Figures::setting)
                        .values("bufferSteps", it -> it.settings().bufferSteps())
                        .numbers("floor", "floor", it -> it.settings().floor(), Figures::setting)
                        .numbers(
                                "priorVariance",
                                "σ₀²",
                                it -> it.settings().priorVariance(),
                                Figures::setting)
                        .rewards("stream", "stream", Tried::stream)
                        .rewards("continual", "generations", Tried::continual);
        String introduction =
                "Rewards on held-out contexts of %s, mean of %s, seed %d, ordered by the lower of the two rewards."
                        .formatted(setup.data().kind(), setup.countedTrials(), setup.seed());
        return setup.report(NAME, introduction, table);
    }

    /**
     * Mean rewards of settings on held-out contexts.
     *
     * @param stream reward after learning from the logged stream
     * @param continual reward of the last generation that made its own decisions
     */
    private record Tried(StreamSettings settings, double stream, double continual) {

        /** The lower one of the two rewards. Defaults must be good at both. */
        double worse() {
            return Math.min(stream, continual);
        }
    }

    private Tried tried(StreamSettings settings) {
        return new Tried(
                settings,
                meanHoldout(trial -> streamKey(trial, settings)),
                meanHoldout(trial -> continualKey(trial, settings)));
    }

    private double meanHoldout(IntFunction<UnitKey> key) {
        return IntStream.range(0, setup.trials())
                .mapToDouble(trial -> results.requireHoldout(key.apply(trial)))
                .average()
                .orElseThrow();
    }
}
