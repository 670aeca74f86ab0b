package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.experiments.trial.Setup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings of the stream ordered by their reward, best first.
 *
 * @param setup setup of the experiment
 * @param tried all settings that were tried
 * @param done units of work that this run computed
 * @param found units that were in the result file before
 */
record StreamTuningReport(Setup setup, List<Tried> tried, int done, int found) implements Report {

    private static final int SHOWN = 20;

    /**
     * Stochastic rewards of settings on held-out contexts.
     *
     * @param stream reward after learning from the logged stream
     * @param continual reward of the last generation that made its own decisions
     */
    record Tried(StreamSettings settings, double stream, double continual) {

        /** The lower one of the two rewards. Defaults must be good at both. */
        double worse() {
            return Math.min(stream, continual);
        }
    }

    StreamTuningReport {
        tried = tried.stream().sorted(Comparator.comparingDouble(Tried::worse).reversed()).toList();
    }

    @Override
    public String toText() {
        Table table =
                Table.withColumns(
                        "objective",
                        "lambda",
                        "batch",
                        "rate",
                        "bufferSteps",
                        "floor",
                        "stream",
                        "generations");
        for (Tried it : tried.subList(0, Math.min(SHOWN, tried.size()))) {
            StreamSettings settings = it.settings();
            table.row(
                    settings.objective().toString(),
                    Figures.setting(settings.lambda()),
                    settings.batch(),
                    Figures.setting(settings.learningRate()),
                    settings.bufferSteps(),
                    Figures.setting(settings.floor()),
                    it.stream(),
                    it.continual());
        }
        return "%s, %s: reward on contexts kept out, best first by the worse of both; %s of work done, %d found%n%n%s"
                .formatted(
                        setup.data().kind(),
                        Figures.count(setup.trials(), "trial", "trials"),
                        Figures.count(done, "unit", "units"),
                        found,
                        table);
    }

    @Override
    public Object toJson() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Tried it : tried) {
            StreamSettings settings = it.settings();
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("objective", settings.objective().toString());
            row.put("lambda", settings.lambda());
            row.put("batch", settings.batch());
            row.put("learningRate", settings.learningRate());
            row.put("bufferSteps", settings.bufferSteps());
            row.put("floor", settings.floor());
            row.put("stream", it.stream());
            row.put("continual", it.continual());
            rows.add(row);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", setup.data().kind().toString());
        json.put("trials", setup.trials());
        json.put("seed", setup.seed());
        json.put("unitsDone", done);
        json.put("unitsFound", found);
        json.put("tried", rows);
        return json;
    }
}
