package io.counterflow.cli.imports;

import io.counterflow.cli.console.Losses;

/** What an imported decision does not carry over. */
enum Loss implements Losses.Loss {
    DROPPED_EVENTS(
            "pdrop",
            "have pdrop: a log has no weights, so that each decision counts once and not 1/(1 - pdrop)"
                    + " times"),
    OBSERVATIONS("observations", "have observations (o): only the cost is kept"),
    ORIGINAL_COST(
            "originalCost",
            "have an _original_label_cost that differs from _label_cost: only the latter is kept"),
    DISTRIBUTION(
            "distribution",
            "have p and a that do not agree with the probability of the chosen action: only the"
                    + " latter is kept"),
    TAGS("tags", "have tags that are missing or repeated: their actions have numbers as ids"),
    MODELS(
            "models",
            "have a model after the first %d: all of these share one policyVersion"
                    .formatted(ModelNumbers.MAX_MODELS)),
    NO_PROPENSITY("noPropensity", "have no probability: estimate it with train --prior learned"),
    NO_REWARD("noReward", "have no reward: only audit and replay can use them");

    private final String field;
    private final String words;

    Loss(String field, String words) {
        this.field = field;
        this.words = words;
    }

    @Override
    public String field() {
        return field;
    }

    @Override
    public String words() {
        return words;
    }
}
