package io.counterflow.serving.auth;

import java.util.Optional;

/** The tokens that are in force. */
@FunctionalInterface
public interface Tokens {

    /** Whose token this is; empty for one that nobody has. */
    Optional<Caller> callerOf(String token);
}
