package io.counterflow.cli.exports;

import io.counterflow.cli.console.Losses;

/** What an exported decision does not carry over. */
enum ExportLoss implements Losses.Loss {
    EXCLUDED_ACTIONS("excludedActions", "have excluded actions: these are left out of the actions"),
    VECTOR("vector", "have a vector as context: it became features of the namespace vector"),
    UNDERSCORES(
            "underscores",
            "have features whose names start with _: the format has no features of such names"),
    PROPENSITY_KIND(
            "propensityKind",
            "have a probability that is estimated or an upper bound: the format cannot say so"),
    SPLIT("split", "were split between two versions: only the one that drew the action is kept"),
    HOLDOUT("holdout", "are in the holdout: the format cannot say so"),
    POLICY_ACTION(
            "policyAction",
            "are of an apprentice: only the action that was shown is kept, not the one that the"
                    + " policy would have taken"),
    GUARDRAIL("guardrailReward", "have a guardrail reward: only the reward is kept");

    private final String field;
    private final String words;

    ExportLoss(String field, String words) {
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
