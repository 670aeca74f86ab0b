package io.counterflow.experiments.report;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Plots of rewards, with 95 % confidence intervals if there is more than one trial. */
public final class Plots {

    private static final int WIDTH = 960;
    private static final Color[] COLOURS = {
        new Color(0x1f77b4), new Color(0xd62728), new Color(0x2ca02c), new Color(0x9467bd),
        new Color(0xff7f0e), new Color(0x8c564b), new Color(0x17becf), new Color(0xe377c2)
    };
    private static final Color LIGHT_BLUE = new Color(0xa6cbe6);
    private static final int BAND_OPACITY = 45;

    private Plots() {}

    /**
     * Curves with bands, as in the paper's figure.
     *
     * @param xs the values of the varied number
     * @param curves measured curves
     * @param references reference lines, dashed and without bands
     */
    public static Chart<?, ?> curves(
            String title,
            String xTitle,
            boolean logarithmic,
            List<Double> xs,
            List<Curve> curves,
            List<Curve> references) {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(500)
                        .title(title)
                        .xAxisTitle(xTitle)
                        .yAxisTitle("expected test reward")
                        .build();
        style(chart.getStyler());
        chart.getStyler().setXAxisLogarithmic(logarithmic);
        int colours = 0;
        for (Curve curve : curves) {
            Color colour = COLOURS[colours++ % COLOURS.length];
            if (curve.rewards().get(0).trials() > 1) {
                addBand(chart, xs, curve, colour);
            }
            addLine(chart, xs, curve, colour, SeriesMarkers.CIRCLE).setMarkerColor(colour);
        }
        for (Curve curve : references) {
            Color colour = COLOURS[colours++ % COLOURS.length];
            addLine(chart, xs, curve, colour, SeriesMarkers.NONE)
                    .setLineStyle(SeriesLines.DASH_DASH);
        }
        return chart;
    }

    private static void style(AxesChartStyler styler) {
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setYAxisDecimalPattern("0.00");
    }

    private static XYSeries addLine(
            XYChart chart, List<Double> xs, Curve curve, Color colour, Marker marker) {
        List<Double> means = curve.rewards().stream().map(Summary::mean).toList();
        XYSeries line = chart.addSeries(curve.title(), xs, means);
        line.setMarker(marker);
        line.setLineColor(colour);
        return line;
    }

    /** Adds a band: its upper edge, then its lower edge in reverse order. */
    private static void addBand(XYChart chart, List<Double> xs, Curve curve, Color colour) {
        int n = xs.size();
        double[] x = new double[2 * n];
        double[] y = new double[2 * n];
        for (int i = 0; i < n; i++) {
            Summary reward = curve.rewards().get(i);
            int back = 2 * n - 1 - i;
            x[i] = xs.get(i);
            x[back] = xs.get(i);
            y[i] = reward.mean() + reward.halfWidth();
            y[back] = reward.mean() - reward.halfWidth();
        }
        XYSeries band = chart.addSeries(curve.title() + " band", x, y);
        band.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.PolygonArea);
        band.setFillColor(
                new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), BAND_OPACITY));
        band.setMarker(SeriesMarkers.NONE);
        band.setLineColor(new Color(0, 0, 0, 0));
        band.setShowInLegend(false);
    }

    /**
     * Bars of the rewards of methods next to those of the paper.
     *
     * @param paper the paper's rewards of the same methods; NaN if it does not have the method
     */
    public static Chart<?, ?> bars(String title, List<Rewards> methods, List<TestReward> paper) {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(520)
                        .title(title)
                        .yAxisTitle("test reward")
                        .build();
        style(chart.getStyler());
        chart.getStyler().setXAxisLabelRotation(40);
        chart.getStyler().setXAxisMaxLabelCount(Math.max(2, methods.size()));
        chart.getStyler().setXAxisTickMarkSpacingHint(1);
        chart.getStyler().setAvailableSpaceFill(0.7);
        List<String> names = methods.stream().map(Rewards::title).toList();
        List<Summary> stochastic = methods.stream().map(Rewards::stochastic).toList();
        List<Summary> argmax = methods.stream().map(Rewards::argmax).toList();
        addBars(chart, "stochastic", names, stochastic).setFillColor(COLOURS[0]);
        addBars(chart, "argmax", names, argmax).setFillColor(LIGHT_BLUE);
        if (paper.stream().anyMatch(reward -> !Double.isNaN(reward.stochastic()))) {
            addPoints(chart, "paper, stochastic", names, paper, TestReward::stochastic)
                    .setMarker(SeriesMarkers.DIAMOND);
            addPoints(chart, "paper, argmax", names, paper, TestReward::argmax)
                    .setMarker(SeriesMarkers.CIRCLE);
        }
        return chart;
    }

    private static CategorySeries addBars(
            CategoryChart chart, String name, List<String> names, List<Summary> values) {
        List<Double> means = values.stream().map(Summary::mean).toList();
        List<Double> widths =
                values.stream().map(it -> it.trials() == 1 ? 0.0 : it.halfWidth()).toList();
        return chart.addSeries(name, names, means, widths);
    }

    private static CategorySeries addPoints(
            CategoryChart chart,
            String name,
            List<String> names,
            List<TestReward> rewards,
            ToDoubleFunction<TestReward> number) {
        List<@Nullable Double> values = new ArrayList<>(); // null for no point
        for (TestReward reward : rewards) {
            double value = number.applyAsDouble(reward);
            values.add(Double.isNaN(value) ? null : value);
        }
        CategorySeries points = chart.addSeries(name, names, values);
        points.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Scatter);
        points.setMarkerColor(COLOURS[1]);
        return points;
    }
}
