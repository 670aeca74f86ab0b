package io.counterflow.cli.imports;

import io.counterflow.cli.console.Rejections;

/** Why a record of a log cannot be imported. */
enum Rejection implements Rejections.Reason {
    DAMAGED("the file is damaged"),
    TOO_LARGE("too large"),
    MALFORMED("not in the format"),
    NOT_A_DECISION("not a decision"),
    NOT_LEARNED("marked as not to be learned from"),
    SEVERAL_SLOTS("not one choice among actions"),
    NO_LABEL("no label"),
    ACTION("invalid action"),
    PROPENSITY("invalid probability"),
    REWARD("invalid reward"),
    FEATURES("invalid features"),
    FIELD("another invalid field");

    private final String words;

    Rejection(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }

    /** The reason of a message, which starts with the name of a field of a log. */
    static Rejection ofMessage(String message) {
        String field = message.split("[^A-Za-z]", 2)[0];
        return switch (field) {
            case "action", "actions", "excludedActions" -> ACTION;
            case "propensity", "propensityKind", "distribution" -> PROPENSITY;
            case "reward", "defaultReward", "guardrailReward", "guardrailDefaultReward" -> REWARD;
            case "context", "features" -> FEATURES;
            case "must", "is", "the" -> MALFORMED; // the whole line
            default -> FIELD;
        };
    }
}
