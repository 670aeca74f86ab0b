package io.counterflow.experiments.gate;

import java.awt.Color;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** The number of examples that the gate needs as a function of the gain. */
final class GatePlot {

    private GatePlot() {}

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
