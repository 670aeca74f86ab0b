package io.counterflow.serving.auth;

import java.util.Locale;

/** What a token allows. */
public enum Scope {
    /** Ask for decisions. */
    RANK,
    /** Send rewards and activations. */
    REWARD,
    /** Look at loops, policies and statistics. */
    READ,
    /** Change loops and rollouts. */
    ADMIN;

    /** Its name as files and answers spell it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
