package io.counterflow.experiments.report;

import io.counterflow.cli.console.Report;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.internal.chartpart.Chart;

/** The report of an experiment: a table with an introduction, and a plot if there is one. */
public final class ExperimentReport implements Report {

    private static final int MAX_PRINTED_ROWS = 20;

    private final String name;
    private final String introduction;
    private final ResultTable<?> table;
    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final StringBuilder notes = new StringBuilder();
    private String appendix = "";
    private @Nullable ResultTable<?> measurements;
    private @Nullable Chart<?, ?> plot;

    /**
     * @param name name of its files, without an extension
     * @param introduction what the table shows, in Markdown
     */
    public ExperimentReport(String name, String introduction, ResultTable<?> table) {
        this.name = name;
        this.introduction = introduction.strip();
        this.table = table;
    }

    /** Adds a value of the JSON form that does not belong to a row. */
    public ExperimentReport fact(String key, Object value) {
        facts.put(key, value);
        return this;
    }

    /** Adds a line below the printed table. */
    public ExperimentReport note(String line) {
        notes.append(line).append(System.lineSeparator());
        return this;
    }

    /** Sets the Markdown text that follows the table in the file. */
    public ExperimentReport appendix(String markdown) {
        appendix = markdown;
        return this;
    }

    /** Sets the measurements that the table summarises. They are part of the files. */
    public ExperimentReport measurements(ResultTable<?> all) {
        measurements = all;
        return this;
    }

    public ExperimentReport plot(Chart<?, ?> chart) {
        plot = chart;
        return this;
    }

    @Override
    public String toText() {
        String more =
                table.size() <= MAX_PRINTED_ROWS
                        ? ""
                        : "%d more rows in %s.md%n"
                                .formatted(table.size() - MAX_PRINTED_ROWS, name);
        return "%s%n%n%s%s%n%s"
                .formatted(introduction, table.toText(MAX_PRINTED_ROWS), more, notes);
    }

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>(facts);
        json.put("rows", table.toJson());
        return json;
    }

    /** Writes NAME.md, and NAME.csv and NAME.png if there are measurements and a plot. */
    public void write(Path directory) throws IOException {
        Files.writeString(
                directory.resolve(name + ".md"),
                introduction + "\n\n" + table.toMarkdown() + appendix);
        if (measurements != null) {
            Files.writeString(directory.resolve(name + ".csv"), measurements.toCsv());
        }
        if (plot != null) {
            try (OutputStream out = Files.newOutputStream(directory.resolve(name + ".png"))) {
                ChartEncoder.saveChart(plot, out, "png");
            }
        }
    }
}
