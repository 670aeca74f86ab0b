package io.counterflow.experiments.report;

import io.counterflow.cli.console.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A table of named columns, written as text, Markdown, CSV and JSON.
 *
 * <p>Text and Markdown contain headings and rounded numbers, and NaN is an empty cell. CSV and JSON
 * contain names and all digits. Values are not quoted, so cells of Markdown must not contain {@code
 * |}, and values of CSV must not contain a comma.
 *
 * @param <R> what a row shows
 */
public final class ResultTable<R> {

    private static final String HALF_WIDTH = "HalfWidth";

    /**
     * A column.
     *
     * @param name its name in CSV and JSON
     * @param heading its heading in text and Markdown; empty if they do not have the column
     * @param value its value in CSV and JSON
     * @param text its cell in text and Markdown
     */
    private record Column<R>(
            String name,
            Optional<String> heading,
            Function<R, ?> value,
            Function<R, String> text) {}

    private final List<R> rows;
    private final List<Column<R>> columns = new ArrayList<>();

    public ResultTable(List<R> rows) {
        this.rows = List.copyOf(rows);
    }

    /** Adds a column of values that are written as they are, such as names. */
    public ResultTable<R> values(String name, Function<R, ?> value) {
        return values(name, name, value, row -> value.apply(row).toString());
    }

    /** Adds a column with different values for programs and for people. */
    public ResultTable<R> values(
            String name, String heading, Function<R, ?> value, Function<R, String> text) {
        columns.add(new Column<>(name, Optional.of(heading), value, text));
        return this;
    }

    /** Adds a column of numbers. */
    public ResultTable<R> numbers(
            String name, String heading, ToDoubleFunction<R> value, DoubleFunction<String> format) {
        return values(
                name,
                heading,
                value::applyAsDouble,
                row -> {
                    double number = value.applyAsDouble(row);
                    return Double.isNaN(number) ? "" : format.apply(number);
                });
    }

    /** Adds a column of rewards. */
    public ResultTable<R> rewards(String name, String heading, ToDoubleFunction<R> value) {
        return numbers(name, heading, value, ResultTable::reward);
    }

    /** Adds a column of mean rewards and a column of half the widths of their intervals. */
    public ResultTable<R> means(String name, Function<R, Summary> value) {
        return rewards(name, name, row -> value.apply(row).mean())
                .rewards(name + HALF_WIDTH, "±", row -> value.apply(row).halfWidth());
    }

    /** Adds a column of mean rewards, followed by half the width of their intervals. */
    public ResultTable<R> intervals(String name, Function<R, Summary> value) {
        values(name, name, row -> value.apply(row).mean(), row -> interval(value.apply(row)));
        columns.add(
                new Column<>(
                        name + HALF_WIDTH,
                        Optional.empty(),
                        row -> value.apply(row).halfWidth(),
                        row -> ""));
        return this;
    }

    private static String interval(Summary summary) {
        String mean = reward(summary.mean());
        return summary.trials() == 1 ? mean : mean + " ± " + reward(summary.halfWidth());
    }

    private static String reward(double reward) {
        return String.format(Locale.ROOT, "%.4f", reward);
    }

    private List<String> headings() {
        return columns.stream().flatMap(column -> column.heading().stream()).toList();
    }

    private List<String> cells(R row) {
        return columns.stream()
                .filter(column -> column.heading().isPresent())
                .map(column -> column.text().apply(row))
                .toList();
    }

    /** The first rows in aligned columns. */
    String toText(int maxRows) {
        Table table = Table.withColumns(headings().toArray(String[]::new));
        rows.stream().limit(maxRows).forEach(row -> table.row(cells(row).toArray()));
        return table.toString();
    }

    int size() {
        return rows.size();
    }

    /** All rows as a table in Markdown. */
    public String toMarkdown() {
        StringBuilder text = new StringBuilder(markdownLine(headings()));
        text.append("|---".repeat(headings().size())).append("|\n");
        rows.forEach(row -> text.append(markdownLine(cells(row))));
        return text.toString();
    }

    private static String markdownLine(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    /** All rows as lines of values that are separated by commas. */
    String toCsv() {
        StringBuilder text = new StringBuilder(csvLine(Column::name));
        rows.forEach(row -> text.append(csvLine(column -> column.value().apply(row).toString())));
        return text.toString();
    }

    private String csvLine(Function<Column<R>, String> cell) {
        return columns.stream().map(cell).collect(Collectors.joining(",", "", "\n"));
    }

    /** All rows as JSON objects. */
    List<Map<String, Object>> toJson() {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (R row : rows) {
            Map<String, Object> object = new LinkedHashMap<>();
            columns.forEach(column -> object.put(column.name(), column.value().apply(row)));
            objects.add(object);
        }
        return objects;
    }
}
