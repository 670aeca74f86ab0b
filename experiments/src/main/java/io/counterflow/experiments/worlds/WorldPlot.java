package io.counterflow.experiments.worlds;

import java.awt.Color;
import java.util.List;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The plot of a world: how far each learner is, part by part of the stream. */
final class WorldPlot {

    private WorldPlot() {}

    static XYChart of(WorldRow row, int events) {
        XYChart chart =
                new XYChartBuilder()
                        .width(960)
                        .height(500)
                        .title("World %s: %s".formatted(row.kind(), row.kind().title()))
                        .xAxisTitle("events")
                        .yAxisTitle("share of the way from uniform to best")
                        .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setYAxisDecimalPattern("0.0");
        int length = Math.min(events, row.kind().eventsPerLoop());
        List<Double> xs =
                IntStream.range(0, WorldRun.PARTS)
                        .mapToObj(part -> (part + 0.5) * length / WorldRun.PARTS)
                        .toList();
        row.shares()
                .forEach(
                        (contestant, shares) ->
                                chart.addSeries(
                                                contestant.title(),
                                                xs,
                                                IntStream.range(0, WorldRun.PARTS)
                                                        .mapToObj(i -> shares.over(i, i + 1).mean())
                                                        .toList())
                                        .setMarker(SeriesMarkers.NONE)
                                        .setLineStyle(
                                                contestant.isVowpalWabbit()
                                                        ? SeriesLines.DASH_DASH
                                                        : SeriesLines.SOLID));
        return chart;
    }
}
