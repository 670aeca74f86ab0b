package io.counterflow.experiments.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * A plot of curves with bands, as in the paper's figure.
 *
 * @param title title of the plot
 * @param xTitle title of the x-axis
 * @param logarithmic whether the x-axis is logarithmic
 * @param curves measured curves, with 95 % bands over trials
 * @param references reference lines, dashed and without bands
 */
public record CurvePlot(
        String title,
        String xTitle,
        boolean logarithmic,
        List<Curve> curves,
        List<Curve> references) {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 500;

    private static final Color[] COLOURS = {
        new Color(0x1f77b4), new Color(0xd62728), new Color(0x2ca02c), new Color(0x9467bd),
        new Color(0xff7f0e), new Color(0x8c564b), new Color(0x17becf), new Color(0xe377c2)
    };
    private static final BasicStroke DASHED =
            new BasicStroke(
                    1.5f,
                    BasicStroke.CAP_BUTT,
                    BasicStroke.JOIN_ROUND,
                    1.0f,
                    new float[] {6.0f, 4.0f},
                    0.0f);
    private static final int BAND_OPACITY = 45;

    public CurvePlot {
        curves = List.copyOf(curves);
        references = List.copyOf(references);
    }

    /** Writes NAME.png. */
    public void write(Path directory, String name) throws IOException {
        PlotFiles.write(chart(), directory, name);
    }

    private XYChart chart() {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle(xTitle)
                        .yAxisTitle("expected test reward")
                        .build();
        chart.getStyler().setXAxisLogarithmic(logarithmic);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setYAxisDecimalPattern("0.00");
        for (int i = 0; i < curves.size(); i++) {
            Color colour = COLOURS[i % COLOURS.length];
            if (curves.get(i).points().get(0).reward().trials() > 1) {
                addBand(chart, curves.get(i), colour);
            }
            XYSeries line = add(chart, curves.get(i));
            line.setMarker(SeriesMarkers.CIRCLE).setMarkerColor(colour);
            line.setLineColor(colour);
        }
        for (int i = 0; i < references.size(); i++) {
            XYSeries line = add(chart, references.get(i));
            line.setMarker(SeriesMarkers.NONE);
            line.setLineColor(COLOURS[(curves.size() + i) % COLOURS.length]);
            line.setLineStyle(DASHED);
        }
        return chart;
    }

    private static XYSeries add(XYChart chart, Curve curve) {
        double[] x = curve.points().stream().mapToDouble(Curve.Point::x).toArray();
        double[] y = curve.points().stream().mapToDouble(point -> point.reward().mean()).toArray();
        return chart.addSeries(curve.title(), x, y);
    }

    /** Adds a band: its upper edge, then its lower edge in reverse order. */
    private static void addBand(XYChart chart, Curve curve, Color colour) {
        int n = curve.points().size();
        double[] x = new double[2 * n];
        double[] y = new double[2 * n];
        for (int i = 0; i < n; i++) {
            Curve.Point point = curve.points().get(i);
            int back = 2 * n - 1 - i;
            x[i] = point.x();
            x[back] = point.x();
            y[i] = point.reward().mean() + point.reward().halfWidth();
            y[back] = point.reward().mean() - point.reward().halfWidth();
        }
        XYSeries band = chart.addSeries(curve.title() + " band", x, y);
        band.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.PolygonArea);
        band.setFillColor(
                new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), BAND_OPACITY));
        band.setMarker(SeriesMarkers.NONE);
        band.setLineColor(new Color(0, 0, 0, 0));
        band.setShowInLegend(false);
    }
}
