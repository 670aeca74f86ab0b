package io.counterflow.experiments.table1;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.experiments.report.MarkdownTable;
import io.counterflow.experiments.report.MethodPlot;
import io.counterflow.experiments.report.Summary;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Our table next to the paper's, with tests of the differences between methods.
 *
 * @param setup setup of the experiment
 * @param plan plan of the experiment
 * @param entries results of each method in each trial
 * @param done units of work that this run computed
 * @param found units that were in the result file before
 */
record Table1Report(Setup setup, Table1Plan plan, List<Table1.Entry> entries, int done, int found)
        implements Report {

    private List<Method> methods() {
        return entries.stream().map(Table1.Entry::method).distinct().sorted().toList();
    }

    /** One number per trial, in the order of trials. */
    private List<Double> ofTrials(Method method, ToDoubleFunction<TestReward> number) {
        return entries.stream()
                .filter(entry -> entry.method() == method)
                .map(entry -> number.applyAsDouble(entry.reward()))
                .toList();
    }

    private Summary stochastic(Method method) {
        return Summary.of(ofTrials(method, TestReward::stochastic));
    }

    private Summary argmax(Method method) {
        return Summary.of(ofTrials(method, TestReward::argmax));
    }

    private String lambdas(Method method) {
        if (!method.isTrained()) {
            return "";
        }
        return entries.stream()
                .filter(entry -> entry.method() == method)
                .map(entry -> entry.strength())
                .map(
                        it ->
                                (it.varianceLambda() == 0.0
                                                ? ""
                                                : Figures.setting(it.varianceLambda()) + " and ")
                                        + Figures.setting(it.lambda()))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private String toHowItWasMade() {
        String trained = Figures.count(plan.epochs(), "epoch", "epochs");
        return plan.chooses(false) || plan.chooses(true)
                ? "%s with the λ that %d-fold cross-validation of truncated IPS chose (%s, %s)"
                        .formatted(
                                trained,
                                plan.folds(),
                                Figures.count(plan.tuningEpochs(), "epoch", "epochs"),
                                grids())
                : trained + " with a λ that was given, not chosen";
    }

    private String grids() {
        List<String> grids = new ArrayList<>();
        if (plan.chooses(false)) {
            grids.add("λ from " + values(plan.lambdas()));
        }
        if (plan.chooses(true)) {
            grids.add("POEM's variance from " + values(plan.varianceLambdas()));
        }
        return String.join("; ", grids);
    }

    private static String values(List<Double> values) {
        return values.stream().map(Figures::setting).collect(Collectors.joining(", "));
    }

    @Override
    public String toText() {
        Table table =
                Table.withColumns(
                        "method", "stochastic", "argmax", "paper's", "paper's argmax", "lambda");
        for (Method method : methods()) {
            Optional<TestReward> paper = PaperTable.reward(setup.data().kind(), method);
            table.row(
                    method.title(),
                    reward(stochastic(method).mean()),
                    reward(argmax(method).mean()),
                    paper.map(it -> reward(it.stochastic())).orElse("-"),
                    paper.map(it -> reward(it.argmax())).orElse("-"),
                    lambdas(method));
        }
        return "%s, %s, seed %d: mean test reward after %s; %s of work done, %d found%n%n%s"
                .formatted(
                        setup.data().kind(),
                        Figures.count(setup.trials(), "trial", "trials"),
                        setup.seed(),
                        toHowItWasMade(),
                        Figures.count(done, "unit", "units"),
                        found,
                        table);
    }

    /** The table in Markdown, with deviations and tests. */
    String toMarkdown() {
        MarkdownTable rewards =
                new MarkdownTable(
                        List.of(
                                "method",
                                "stochastic",
                                "±",
                                "argmax",
                                "±",
                                "paper, stochastic",
                                "paper, argmax",
                                "λ"));
        for (Method method : methods()) {
            Optional<TestReward> paper = PaperTable.reward(setup.data().kind(), method);
            rewards.row(
                    List.of(
                            method.title(),
                            reward(stochastic(method).mean()),
                            width(stochastic(method)),
                            reward(argmax(method).mean()),
                            width(argmax(method)),
                            paper.map(it -> reward(it.stochastic())).orElse(""),
                            paper.map(it -> reward(it.argmax())).orElse(""),
                            lambdas(method)));
        }
        return """
               Test rewards on %s, mean of %s, seed %d, after %s. ± is half the width of
               the 95 %% confidence interval of the mean. The paper's numbers are means of ten trials after %d epochs.

               %s%s"""
                .formatted(
                        setup.data().kind(),
                        Figures.count(setup.trials(), "trial", "trials"),
                        setup.seed(),
                        toHowItWasMade(),
                        Table1Plan.epochs(setup.data().kind()),
                        rewards,
                        tests());
    }

    /** The paired tests; empty for a single trial or a single method. */
    private String tests() {
        if (setup.trials() == 1 || methods().size() == 1) {
            return "";
        }
        Map<Method, List<Double>> ofMethods = new LinkedHashMap<>();
        methods()
                .forEach(method -> ofMethods.put(method, ofTrials(method, TestReward::stochastic)));
        return "\n" + new PairedTestTable(ofMethods).toMarkdown();
    }

    /** Writes the table and the plots. */
    void write(Path directory) throws IOException {
        String name = "table1-%s".formatted(setup.data().kind());
        Files.writeString(directory.resolve(name + ".md"), toMarkdown());
        plot().write(directory, name);
    }

    private MethodPlot plot() {
        return new MethodPlot(
                "%s, mean of %s"
                        .formatted(
                                setup.data().kind(),
                                Figures.count(setup.trials(), "trial", "trials")),
                methods().stream()
                        .map(
                                method ->
                                        new MethodPlot.Row(
                                                method.title(),
                                                stochastic(method),
                                                argmax(method),
                                                PaperTable.reward(setup.data().kind(), method)
                                                        .orElse(null)))
                        .toList());
    }

    private static String reward(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }

    private static String width(Summary summary) {
        return summary.trials() == 1 ? "" : reward(summary.halfWidth());
    }

    @Override
    public Object toJson() {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        for (Method method : methods()) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            row.put("method", method.toString());
            row.put("stochastic", stochastic(method).mean());
            row.put("argmax", argmax(method).mean());
            row.put("stochasticHalfWidth", stochastic(method).halfWidth());
            row.put("argmaxHalfWidth", argmax(method).halfWidth());
            row.put("trials", ofTrials(method, TestReward::stochastic));
            row.put("paper", PaperTable.reward(setup.data().kind(), method).orElse(null));
            row.put("lambda", lambdas(method));
            rows.add(row);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", setup.data().kind().toString());
        json.put("trials", setup.trials());
        json.put("seed", setup.seed());
        json.put("epochs", plan.epochs());
        json.put("unitsDone", done);
        json.put("unitsFound", found);
        json.put("methods", rows);
        return json;
    }
}
