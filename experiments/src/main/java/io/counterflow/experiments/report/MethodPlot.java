package io.counterflow.experiments.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * A plot of the rewards of methods next to those of the paper.
 *
 * @param title title of the plot
 * @param rows one row per method
 */
public record MethodPlot(String title, List<Row> rows) {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 520;
    private static final int LABEL_ANGLE = 40;
    private static final Color STOCHASTIC = new Color(0x1f77b4);
    private static final Color ARGMAX = new Color(0xa6cbe6);
    private static final Color PAPER = new Color(0xd62728);

    /**
     * One method.
     *
     * @param name its name
     * @param stochastic reward of drawn actions
     * @param argmax reward of the most probable action
     * @param paper reward in the paper; null if the paper has none
     */
    public record Row(
            String name, Summary stochastic, Summary argmax, @Nullable TestReward paper) {}

    public MethodPlot {
        rows = List.copyOf(rows);
    }

    /** Writes NAME.png. */
    public void write(Path directory, String name) throws IOException {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .yAxisTitle("test reward")
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setXAxisLabelRotation(LABEL_ANGLE);
        chart.getStyler().setXAxisMaxLabelCount(Math.max(2, rows.size()));
        chart.getStyler().setXAxisTickMarkSpacingHint(1);
        chart.getStyler().setYAxisDecimalPattern("0.00");
        chart.getStyler().setAvailableSpaceFill(0.7);
        addBars(chart, "stochastic", rows.stream().map(Row::stochastic).toList(), STOCHASTIC);
        addBars(chart, "argmax", rows.stream().map(Row::argmax).toList(), ARGMAX);
        if (rows.stream().anyMatch(row -> row.paper() != null)) {
            addPaper(chart, "paper, stochastic", true, SeriesMarkers.DIAMOND);
            addPaper(chart, "paper, argmax", false, SeriesMarkers.CIRCLE);
        }
        PlotFiles.write(chart, directory, name);
    }

    private List<String> names() {
        return rows.stream().map(Row::name).toList();
    }

    private void addBars(CategoryChart chart, String name, List<Summary> values, Color colour) {
        List<Double> means = values.stream().map(Summary::mean).toList();
        List<Double> widths =
                values.stream().map(it -> it.trials() == 1 ? 0.0 : it.halfWidth()).toList();
        CategorySeries bars = chart.addSeries(name, names(), means, widths);
        bars.setFillColor(colour);
    }

    private void addPaper(CategoryChart chart, String name, boolean stochastic, Marker marker) {
        List<@Nullable Double> values = new ArrayList<>();
        for (Row row : rows) {
            TestReward paper = row.paper();
            values.add(paper == null ? null : stochastic ? paper.stochastic() : paper.argmax());
        }
        CategorySeries points = chart.addSeries(name, names(), values);
        points.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Scatter);
        points.setMarker(marker);
        points.setMarkerColor(PAPER);
    }
}
