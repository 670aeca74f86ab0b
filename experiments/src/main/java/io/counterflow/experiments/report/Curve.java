package io.counterflow.experiments.report;

import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * Test reward as a function of one varied number.
 *
 * @param title its name in the legend
 * @param points at least one point, ordered by x
 */
public record Curve(String title, List<Point> points) {

    /** The reward at one value, over all trials. */
    public record Point(double x, Summary reward) {}

    public Curve {
        points = List.copyOf(points);
        Require.atLeast(1, points.size(), "points");
    }

    /** A curve with the same reward at all values. */
    public static Curve flat(String title, List<Double> xs, double reward) {
        Summary same = new Summary(reward, 0.0, 1);
        return new Curve(title, xs.stream().map(x -> new Point(x, same)).toList());
    }
}
