package io.counterflow.experiments.table1;

import io.counterflow.cli.console.Figures;
import io.counterflow.experiments.report.MarkdownTable;
import io.counterflow.experiments.report.PairedTest;
import io.counterflow.experiments.trial.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Paired tests of all pairs of methods.
 *
 * @param rewards rewards of each method in each trial, in the order of the table
 */
record PairedTestTable(Map<Method, List<Double>> rewards) {

    private static final double MIN_PLAIN = 5e-5; // smaller values would be printed as 0.0000

    String toMarkdown() {
        List<Method> methods = List.copyOf(rewards.keySet());
        List<String> headings = new ArrayList<>(List.of(""));
        methods.subList(0, methods.size() - 1).forEach(method -> headings.add(method.title()));
        MarkdownTable table = new MarkdownTable(headings);
        for (int row = 1; row < methods.size(); row++) {
            List<String> cells = new ArrayList<>(List.of(methods.get(row).title()));
            for (int column = 0; column < methods.size() - 1; column++) {
                cells.add(column < row ? cell(methods.get(row), methods.get(column)) : "");
            }
            table.row(cells);
        }
        return """
               Differences of the stochastic reward, row minus column, and p values of two-sided paired t-tests; bold where p
               is below 0.05. There are %d tests, and p values are not corrected for that.

               %s"""
                .formatted(methods.size() * (methods.size() - 1) / 2, table);
    }

    private String cell(Method one, Method other) {
        PairedTest test = PairedTest.of(of(one), of(other));
        String difference =
                Math.abs(test.difference()) < MIN_PLAIN
                        ? String.format(Locale.ROOT, "%+.0e", test.difference())
                        : String.format(Locale.ROOT, "%+.4f", test.difference());
        String text = "%s (%s)".formatted(difference, Figures.of(test.pValue()));
        return test.isSignificant() ? "**" + text + "**" : text;
    }

    private List<Double> of(Method method) {
        return Objects.requireNonNull(rewards.get(method));
    }
}
