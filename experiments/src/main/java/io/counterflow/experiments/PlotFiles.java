package io.counterflow.experiments;

import java.awt.Dimension;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.w3c.dom.Document;

/** One plot as pixels and as shapes. */
final class PlotFiles {

    private static final String SVG_NAMESPACE = "http://www.w3.org/2000/svg";

    private PlotFiles() {}

    /** Writes NAME.png and NAME.svg. */
    static void write(Chart<?, ?> chart, Path directory, String name) throws IOException {
        try (OutputStream out = Files.newOutputStream(directory.resolve(name + ".png"))) {
            ChartEncoder.saveChart(chart, out, "png");
        }
        SVGGraphics2D graphics = new SVGGraphics2D(emptyPicture());
        chart.paint(graphics, chart.getWidth(), chart.getHeight());
        graphics.setSVGCanvasSize(new Dimension(chart.getWidth(), chart.getHeight()));
        try (Writer out = Files.newBufferedWriter(directory.resolve(name + ".svg"))) {
            graphics.stream(out, true); // with style sheets, or the document is twice as long
        } finally {
            graphics.dispose();
        }
    }

    private static Document emptyPicture() {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG_NAMESPACE, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("the JDK's own XML documents are missing", e);
        }
    }
}
