package io.counterflow.serving.config;

/** How callers are let in. */
public enum AuthMode {
    /** By their tokens; without a file of tokens, everybody on this machine and nobody else. */
    TOKENS,
    /** Everybody, wherever they are. */
    NONE
}
