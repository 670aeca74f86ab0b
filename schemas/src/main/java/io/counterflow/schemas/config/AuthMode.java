package io.counterflow.schemas.config;

/** Access control of the HTTP API. */
public enum AuthMode {
    /** Requires a token. Without a tokens file, only callers on this machine are allowed. */
    TOKENS,
    /** Allows every caller on any address. */
    NONE
}
