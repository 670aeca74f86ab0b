package io.counterflow.experiments.report;

import java.util.Collections;
import java.util.List;

/**
 * Test reward as a function of one varied number.
 *
 * @param title its name in tables and legends
 * @param rewards the reward at each value of the number, over all trials
 */
public record Curve(String title, List<Summary> rewards) {

    public Curve {
        rewards = List.copyOf(rewards);
    }

    /** A curve with the same reward at all values. */
    public static Curve flat(String title, int values, double reward) {
        return new Curve(title, Collections.nCopies(values, new Summary(reward, 0.0, 1)));
    }
}
