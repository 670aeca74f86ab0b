package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.experiments.report.Curve;
import io.counterflow.experiments.report.CurvePlot;
import io.counterflow.experiments.report.MarkdownTable;
import io.counterflow.experiments.report.Summary;
import io.counterflow.experiments.trial.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Test rewards of the streaming learner and of offline training.
 *
 * @param setup setup of the experiment
 * @param plan plan of the experiment
 * @param rows logging policy, one pass, buffer steps, generations, offline
 * @param done units of work that this run computed
 * @param found units that were in the result file before
 */
record StreamingReport(Setup setup, Streaming.Plan plan, List<Row> rows, int done, int found)
        implements Report {

    /** Test rewards of one learner. */
    record Row(String title, Summary stochastic, Summary argmax) {}

    StreamingReport {
        rows = List.copyOf(rows);
    }

    /** Writes the table and the plots. */
    void write(Path directory) throws IOException {
        String name = "streaming-%s".formatted(setup.data().kind());
        Files.writeString(directory.resolve(name + ".md"), toMarkdown());
        List<Curve.Point> generations = new ArrayList<>();
        List<Double> numbers = new ArrayList<>();
        List<Row> others = new ArrayList<>();
        for (Row row : rows) {
            if (row.title().startsWith("generation")) {
                numbers.add(generations.size() + 1.0);
                generations.add(new Curve.Point(generations.size() + 1.0, row.stochastic()));
            } else {
                others.add(row);
            }
        }
        new CurvePlot(
                        "%s: %s".formatted(setup.data().kind(), plan.settings().settingWithFloor()),
                        "generation",
                        false,
                        List.of(new Curve("generations that decide for themselves", generations)),
                        others.stream()
                                .map(
                                        row ->
                                                Curve.flat(
                                                        row.title(),
                                                        numbers,
                                                        row.stochastic().mean()))
                                .toList())
                .write(directory, name);
    }

    private String toMarkdown() {
        MarkdownTable table =
                new MarkdownTable(List.of("learned", "stochastic", "±", "argmax", "±"));
        for (Row row : rows) {
            table.row(
                    List.of(
                            row.title(),
                            text(row.stochastic().mean()),
                            width(row.stochastic()),
                            text(row.argmax().mean()),
                            width(row.argmax())));
        }
        return """
               Test rewards on %s, mean of %s and half the width of its 95 %% confidence interval, seed %d.
               Stream: %s, λ = %s. Rewards of generations are without the floor.

               %s"""
                .formatted(
                        setup.data().kind(),
                        Figures.count(setup.trials(), "trial", "trials"),
                        setup.seed(),
                        plan.settings().settingWithFloor(),
                        Figures.setting(plan.settings().lambda()),
                        table);
    }

    private static String text(double reward) {
        return String.format(Locale.ROOT, "%.4f", reward);
    }

    private static String width(Summary summary) {
        return summary.trials() == 1 ? "" : text(summary.halfWidth());
    }

    @Override
    public String toText() {
        Table table = Table.withColumns("learned", "stochastic", "argmax");
        for (Row row : rows) {
            table.row(row.title(), text(row.stochastic().mean()), text(row.argmax().mean()));
        }
        return "%s, %s: mean test reward with %s; %s of work done, %d found%n%n%s"
                .formatted(
                        setup.data().kind(),
                        Figures.count(setup.trials(), "trial", "trials"),
                        plan.settings().settingWithFloor(),
                        Figures.count(done, "unit", "units"),
                        found,
                        table);
    }

    @Override
    public Object toJson() {
        List<Map<String, Object>> learned = new ArrayList<>();
        for (Row row : rows) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("learned", row.title());
            json.put("stochastic", row.stochastic().mean());
            json.put("stochasticHalfWidth", row.stochastic().halfWidth());
            json.put("argmax", row.argmax().mean());
            json.put("argmaxHalfWidth", row.argmax().halfWidth());
            learned.add(json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", setup.data().kind().toString());
        json.put("trials", setup.trials());
        json.put("seed", setup.seed());
        json.put("settings", plan.settings().settingWithFloor());
        json.put("unitsDone", done);
        json.put("unitsFound", found);
        json.put("rows", learned);
        return json;
    }
}
