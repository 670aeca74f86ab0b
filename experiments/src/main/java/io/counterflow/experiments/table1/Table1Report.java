package io.counterflow.experiments.table1;

import io.counterflow.cli.console.Figures;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.PairedTest;
import io.counterflow.experiments.report.Plots;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.report.Rewards;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Creates the report of our table next to the paper's, with paired tests of all pairs of methods.
 *
 * @param setup setup of the experiment
 * @param plan plan of the experiment
 * @param rows one row per method
 */
record Table1Report(Setup setup, Table1Plan plan, List<Row> rows) {

    private static final double MIN_PLAIN = 5e-5; // smaller values would be printed as 0.0000

    /**
     * One method.
     *
     * @param strengths chosen strengths, one per trial
     */
    record Row(Method method, List<Strength> strengths, Rewards rewards) {

        String lambdas() {
            return method.isTrained()
                    ? strengths.stream()
                            .map(Row::lambdas)
                            .distinct()
                            .collect(Collectors.joining(", "))
                    : "";
        }

        private static String lambdas(Strength strength) {
            String lambda = Figures.setting(strength.lambda());
            return strength.varianceLambda() == 0.0
                    ? lambda
                    : Figures.setting(strength.varianceLambda()) + " and " + lambda;
        }

        private List<Double> stochastic() {
            return rewards.trials().stream().map(TestReward::stochastic).toList();
        }
    }

    ExperimentReport report() {
        ResultTable<Row> table =
                new ResultTable<>(rows)
                        .values(
                                "method",
                                "method",
                                row -> row.method().toString(),
                                row -> row.method().title())
                        .means("stochastic", row -> row.rewards().stochastic())
                        .means("argmax", row -> row.rewards().argmax())
                        .rewards(
                                "paperStochastic",
                                "paper, stochastic",
                                row -> paper(row).stochastic())
                        .rewards("paperArgmax", "paper, argmax", row -> paper(row).argmax())
                        .values("lambda", "λ", Row::lambdas, Row::lambdas);
        return setup.report(Table1.NAME, introduction(), table)
                .fact("epochs", plan.epochs())
                .appendix(tests())
                .plot(
                        Plots.bars(
                                "%s, mean of %s"
                                        .formatted(setup.data().kind(), setup.countedTrials()),
                                rows.stream().map(Row::rewards).toList(),
                                rows.stream().map(this::paper).toList()));
    }

    private TestReward paper(Row row) {
        return PaperTable.reward(setup.data().kind(), row.method());
    }

    private String introduction() {
        return """
               Test rewards on %s, mean of %s, seed %d, after %s. ± is half the width of
               the 95 %% confidence interval of the mean. The paper's numbers are means of ten trials after %d epochs."""
                .formatted(
                        setup.data().kind(),
                        setup.countedTrials(),
                        setup.seed(),
                        training(),
                        Table1Plan.epochs(setup.data().kind()));
    }

    private String training() {
        List<String> grids = new ArrayList<>();
        if (plan.chooses(false)) {
            grids.add("λ from " + values(plan.lambdas()));
        }
        if (plan.chooses(true)) {
            grids.add("POEM's variance from " + values(plan.varianceLambdas()));
        }
        String trained = Figures.count(plan.epochs(), "epoch", "epochs");
        return grids.isEmpty()
                ? trained + " with a λ that was given, not chosen"
                : "%s with the λ that %d-fold cross-validation of truncated IPS chose (%s, %s)"
                        .formatted(
                                trained,
                                plan.folds(),
                                Figures.count(plan.tuningEpochs(), "epoch", "epochs"),
                                String.join("; ", grids));
    }

    private static String values(List<Double> values) {
        return values.stream().map(Figures::setting).collect(Collectors.joining(", "));
    }

    /** The paired tests in Markdown; empty for a single trial or a single method. */
    private String tests() {
        int n = rows.size();
        if (setup.trials() == 1 || n == 1) {
            return "";
        }
        ResultTable<Row> table =
                new ResultTable<>(rows.subList(1, n)).values("", row -> row.method().title());
        for (Row column : rows.subList(0, n - 1)) {
            table.values(
                    column.method().title(),
                    row -> row.method().compareTo(column.method()) > 0 ? test(row, column) : "");
        }
        return """

               Differences of the stochastic reward, row minus column, and p values of two-sided paired t-tests; bold where p
               is below 0.05. There are %d tests, and p values are not corrected for that.

               %s"""
                .formatted(n * (n - 1) / 2, table.toMarkdown());
    }

    private static String test(Row row, Row column) {
        PairedTest test = PairedTest.of(row.stochastic(), column.stochastic());
        String difference =
                String.format(
                        Locale.ROOT,
                        Math.abs(test.difference()) < MIN_PLAIN ? "%+.0e" : "%+.4f",
                        test.difference());
        String text = "%s (%s)".formatted(difference, Figures.of(test.pValue()));
        return test.isSignificant() ? "**" + text + "**" : text;
    }
}
