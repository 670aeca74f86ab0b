package io.counterflow.experiments.gate;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;

/** Plots of the gate. */
final class GatePlot {

    private static final double LOWEST = -0.02;
    private static final Color BETTER = new Color(0, 110, 180);
    private static final Color WORSE = new Color(200, 80, 20);

    private GatePlot() {}

    /** The lower bounds on differences, as they grow with the examples. */
    static XYChart ofPaths(List<GatePath> paths) {
        XYChart chart =
                new XYChartBuilder()
                        .width(960)
                        .height(500)
                        .title("Lower bound on the gain, in streams with rewards of 5 %")
                        .xAxisTitle("examples")
                        .yAxisTitle("candidate − active")
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setMarkerSize(0);
        chart.getStyler().setYAxisMin(LOWEST);
        chart.getStyler().setYAxisMax(-0.1 * LOWEST);
        chart.getStyler().setXAxisMin(0.0);
        for (GatePath path : paths) {
            List<Integer> at = new ArrayList<>();
            List<Double> bounds = new ArrayList<>();
            for (int i = 0; i < path.bounds().size(); i++) {
                if (path.bounds().get(i) >= LOWEST) {
                    at.add(path.examples().get(i));
                    bounds.add(path.bounds().get(i));
                }
            }
            if (!at.isEmpty()) {
                boolean first = path.seed() == 0; // of its colour in the legend
                XYSeries series =
                        chart.addSeries(
                                "%s%.0f %% %s"
                                        .formatted(
                                                first ? "" : path.seed() + ": ",
                                                100 * Math.abs(path.gain()),
                                                path.gain() > 0 ? "more" : "less"),
                                at,
                                bounds);
                series.setLineColor(path.gain() > 0 ? BETTER : WORSE);
                series.setLineStyle(SeriesLines.SOLID);
                series.setShowInLegend(first);
            }
        }
        return chart;
    }

    /** The number of examples that the gate needs as a function of the gain. */
    static XYChart of(List<GateTiming> timings) {
        XYChart chart =
                new XYChartBuilder()
                        .width(960)
                        .height(500)
                        .title("Examples until nine of ten candidates are promoted")
                        .xAxisTitle("relative gain of the candidate")
                        .yAxisTitle("examples")
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        timings.stream()
                .map(GateTiming::rate)
                .distinct()
                .forEach(
                        rate -> {
                            List<GateTiming> known =
                                    timings.stream()
                                            .filter(it -> it.rate() == rate)
                                            .filter(it -> !Double.isNaN(it.nineOfTen()))
                                            .toList();
                            if (!known.isEmpty()) {
                                chart.addSeries(
                                        "rewards of %.0f %%".formatted(100.0 * rate),
                                        known.stream().map(GateTiming::gain).toList(),
                                        known.stream().map(GateTiming::nineOfTen).toList());
                            }
                        });
        return chart;
    }
}
