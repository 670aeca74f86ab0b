package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.Figures;
import io.counterflow.experiments.report.Curve;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.Plots;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.report.Rewards;
import io.counterflow.experiments.run.Lazy;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import io.counterflow.experiments.trial.Experiment;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Seeds;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * Compares the streaming learner with offline training on the same log: in one pass, with buffer
 * steps, and in generations that make their own decisions.
 */
final class Streaming extends Experiment {

    static final String NAME = "streaming";

    static final String BUFFER_STEPS = "bufferSteps";
    static final String CONTINUAL = "continual";
    private static final Method OFFLINE = Method.IPS_LPR_FROM_PRIOR;

    private final StreamSettings settings;
    private final int generations;
    private final int epochs;

    /**
     * @param settings settings of the loop
     * @param generations number of generations
     * @param epochs passes of offline training
     */
    Streaming(
            Setup setup, StreamSettings settings, int generations, int epochs, ResultFile results) {
        super(NAME, setup, results);
        this.settings = settings;
        this.generations = generations;
        this.epochs = epochs;
    }

    @Override
    protected Supplier<List<WorkUnit>> units(int number) {
        Lazy<Trial> trial = new Lazy<>(() -> setup.trial(number));
        Lazy<LoggedTrial> logged = new Lazy<>(() -> trial.get().logged(1.0));
        List<WorkUnit> units =
                List.of(
                        trained(loggingKey(number), Method.LOGGING_POLICY, Strength.NONE, logged),
                        trained(offlineKey(number), OFFLINE, offline(), logged),
                        stream(onePassKey(number), settings.withBufferSteps(0), logged),
                        stream(bufferStepsKey(number), settings, logged),
                        new WorkUnit(
                                IntStream.range(0, generations)
                                        .mapToObj(i -> generationKey(number, i))
                                        .toList(),
                                settings.cost(setup.logged()),
                                steps -> generations(number, trial.get(), steps)));
        return () -> units;
    }

    private WorkUnit stream(UnitKey key, StreamSettings used, Supplier<LoggedTrial> logged) {
        StreamRun run = new StreamRun(used, Seeds.stream(setup.seed(), key.trial()));
        return WorkUnit.of(
                key, used.cost(setup.logged()), steps -> onTest(run.learn(logged.get(), steps)));
    }

    private List<Measured> generations(int number, Trial trial, LongConsumer steps) {
        return new StreamRun(settings, Seeds.stream(setup.seed(), number))
                        .learnInGenerations(
                                trial, setup.data().train(), setup.logged(), generations, steps)
                        .stream()
                        .map(this::onTest)
                        .toList();
    }

    private Strength offline() {
        return Strength.of(settings.lambda());
    }

    private UnitKey loggingKey(int trial) {
        return trainedKey(trial, Method.LOGGING_POLICY, Strength.NONE, epochs, "");
    }

    private UnitKey offlineKey(int trial) {
        return trainedKey(trial, OFFLINE, offline(), epochs, "");
    }

    private UnitKey onePassKey(int trial) {
        return key(trial, "one-pass", settings.withBufferSteps(0).setting());
    }

    private UnitKey bufferStepsKey(int trial) {
        return key(trial, BUFFER_STEPS, settings.setting());
    }

    private UnitKey generationKey(int trial, int i) {
        String setting = settings.settingWithFloor();
        return key(
                trial, CONTINUAL, "%s generation=%d-of-%d".formatted(setting, i + 1, generations));
    }

    private UnitKey key(int trial, String method, String setting) {
        return setup.key(NAME, trial, method, setting, settings.lambda(), UnitKey.WHOLE_LOG, 1);
    }

    @Override
    protected ExperimentReport report() {
        List<Rewards> others =
                List.of(
                        rewards("logging policy", this::loggingKey),
                        rewards("one pass", this::onePassKey),
                        rewards("one pass with buffer steps", this::bufferStepsKey),
                        rewards(
                                "offline, %s, %s"
                                        .formatted(
                                                OFFLINE.title(),
                                                Figures.count(epochs, "epoch", "epochs")),
                                this::offlineKey));
        List<Rewards> learned =
                IntStream.range(0, generations)
                        .mapToObj(
                                i ->
                                        rewards(
                                                "generation " + (i + 1),
                                                trial -> generationKey(trial, i)))
                        .toList();
        List<Rewards> rows = new ArrayList<>(others);
        rows.addAll(others.size() - 1, learned);
        ResultTable<Rewards> table =
                new ResultTable<>(rows)
                        .values("learned", Rewards::title)
                        .means("stochastic", Rewards::stochastic)
                        .means("argmax", Rewards::argmax);
        String introduction =
                """
                Test rewards on %s, mean of %s and half the width of its 95 %% confidence interval, seed %d.
                Stream: %s, λ = %s. Rewards of generations are without the floor."""
                        .formatted(
                                setup.data().kind(),
                                setup.countedTrials(),
                                setup.seed(),
                                settings.settingWithFloor(),
                                Figures.setting(settings.lambda()));
        return setup.report(NAME, introduction, table)
                .fact("settings", settings.settingWithFloor())
                .plot(plot(learned, others));
    }

    private Chart<?, ?> plot(List<Rewards> learned, List<Rewards> others) {
        int n = learned.size();
        return Plots.curves(
                "%s: %s".formatted(setup.data().kind(), settings.settingWithFloor()),
                "generation",
                false,
                IntStream.rangeClosed(1, n).asDoubleStream().boxed().toList(),
                List.of(
                        new Curve(
                                "generations that decide for themselves",
                                learned.stream().map(Rewards::stochastic).toList())),
                others.stream()
                        .map(it -> Curve.flat(it.title(), n, it.stochastic().mean()))
                        .toList());
    }
}
