package io.counterflow.experiments.report;

import java.util.List;

/**
 * Test rewards of a policy or method.
 *
 * @param title its name in tables and legends
 * @param trials its reward in each trial
 */
public record Rewards(String title, List<TestReward> trials) {

    public Summary stochastic() {
        return Summary.of(trials.stream().map(TestReward::stochastic).toList());
    }

    public Summary argmax() {
        return Summary.of(trials.stream().map(TestReward::argmax).toList());
    }
}
