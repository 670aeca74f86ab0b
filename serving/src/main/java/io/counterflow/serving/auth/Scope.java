package io.counterflow.serving.auth;

/** What a token permits. */
public enum Scope {
    /** Request decisions. */
    RANK,
    /** Send rewards and activations. */
    REWARD,
    /** Read loops, policies and statistics. */
    READ,
    /** Read decisions with the features of users. */
    EVENTS,
    /** Change loops and rollouts. */
    ADMIN
}
