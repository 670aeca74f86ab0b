package io.counterflow.experiments.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.internal.chartpart.Chart;

/** Writes plots. */
final class PlotFiles {

    private PlotFiles() {}

    /** Writes NAME.png. */
    static void write(Chart<?, ?> chart, Path directory, String name) throws IOException {
        try (OutputStream out = Files.newOutputStream(directory.resolve(name + ".png"))) {
            ChartEncoder.saveChart(chart, out, "png");
        }
    }
}
