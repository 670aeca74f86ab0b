package io.counterflow.serving.auth;

import java.util.Locale;

/** What a token permits. */
public enum Scope {
    /** Request decisions. */
    RANK,
    /** Send rewards and activations. */
    REWARD,
    /** Read loops, policies and statistics. */
    READ,
    /** Change loops and rollouts. */
    ADMIN;

    /** The name in token files and replies. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
