package io.counterflow.cli.exports;

import io.counterflow.cli.console.Rejections;

/** Why a decision cannot be exported. */
enum LeftOut implements Rejections.Reason {
    UNREADABLE("unreadable"),
    NO_PROPENSITY("no probability"),
    NO_REWARD("no reward"),
    NO_ACTIONS("no list of actions"),
    OTHER_CONTEXT("another kind of context"),
    POSITION("invalid position"),
    NO_SPEC("no spec of the loop"),
    TOO_LARGE("too large");

    private final String words;

    LeftOut(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }
}
