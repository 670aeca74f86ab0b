package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
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
 * The results of a sweep.
 *
 * @param setup setup of the experiment
 * @param plan plan of the sweep
 * @param methods one curve per method
 * @param logging curve of the logging policy
 * @param done units of work that this run computed
 * @param found units that were in the result file before
 */
record SweepCurves(
        Setup setup, Sweep.Plan plan, List<Curve> methods, Curve logging, int done, int found)
        implements Report {

    SweepCurves {
        methods = List.copyOf(methods);
    }

    private Curve uniform() {
        return Curve.flat("uniform", plan.values(), 1.0 / setup.data().classes());
    }

    private boolean variesLambda() {
        return plan.axis() == Sweep.Axis.LAMBDA;
    }

    private String name() {
        return "%s-%s".formatted(plan.axis(), setup.data().kind());
    }

    /** Writes the table and the plots. */
    void write(Path directory) throws IOException {
        Files.writeString(directory.resolve(name() + ".md"), toMarkdown());
        String heading =
                variesLambda()
                        ? "%s, %d epochs".formatted(setup.data().kind(), plan.epochs())
                        : "%s, %d epochs, λ = %s"
                                .formatted(
                                        setup.data().kind(),
                                        plan.epochs(),
                                        Figures.setting(plan.lambda()));
        new CurvePlot(
                        heading,
                        variesLambda() ? "λ" : "inverse temperature β of the logging policy",
                        variesLambda() && plan.values().get(0) > 0.0,
                        methods,
                        List.of(logging, uniform()))
                .write(directory, name());
    }

    private List<Curve> all() {
        List<Curve> all = new ArrayList<>(methods);
        all.add(logging);
        all.add(uniform());
        return all;
    }

    private String toMarkdown() {
        List<String> headings = new ArrayList<>(List.of(variesLambda() ? "λ" : "β"));
        all().forEach(curve -> headings.add(curve.title()));
        MarkdownTable table = new MarkdownTable(headings);
        for (int i = 0; i < plan.values().size(); i++) {
            List<String> cells = new ArrayList<>(List.of(Figures.setting(plan.values().get(i))));
            for (Curve curve : all()) {
                Summary reward = curve.points().get(i).reward();
                cells.add(
                        reward.trials() == 1
                                ? text(reward.mean())
                                : text(reward.mean()) + " ± " + text(reward.halfWidth()));
            }
            table.row(cells);
        }
        return """
               Expected test reward on %s after %s%s, mean of %s and half the width of its 95 %% confidence
               interval, seed %d.

               %s"""
                .formatted(
                        setup.data().kind(),
                        Figures.count(plan.epochs(), "epoch", "epochs"),
                        variesLambda() ? "" : " with λ = " + Figures.setting(plan.lambda()),
                        Figures.count(setup.trials(), "trial", "trials"),
                        setup.seed(),
                        table);
    }

    private static String text(double reward) {
        return String.format(Locale.ROOT, "%.4f", reward);
    }

    @Override
    public String toText() {
        return "%s; %s of work done, %d found%n%n%s"
                .formatted(plan.axis(), Figures.count(done, "unit", "units"), found, toMarkdown());
    }

    @Override
    public Object toJson() {
        List<Map<String, Object>> curves = new ArrayList<>();
        for (Curve curve : all()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("title", curve.title());
            json.put("reward", numbers(curve, false));
            json.put("halfWidth", numbers(curve, true));
            curves.add(json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("experiment", plan.axis().toString());
        json.put("dataset", setup.data().kind().toString());
        json.put("trials", setup.trials());
        json.put("seed", setup.seed());
        json.put("epochs", plan.epochs());
        if (!variesLambda()) {
            json.put("lambda", plan.lambda());
        }
        json.put("unitsDone", done);
        json.put("unitsFound", found);
        json.put("values", plan.values());
        json.put("curves", curves);
        return json;
    }

    private static List<Double> numbers(Curve curve, boolean width) {
        return curve.points().stream()
                .map(Curve.Point::reward)
                .map(reward -> width ? reward.halfWidth() : reward.mean())
                .toList();
    }
}
