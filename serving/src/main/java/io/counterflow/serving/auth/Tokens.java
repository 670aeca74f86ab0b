package io.counterflow.serving.auth;

import java.util.Optional;

/** The known tokens. */
@FunctionalInterface
public interface Tokens {

    /** The caller with this token; empty for an unknown token. */
    Optional<Caller> callerOf(String token);
}
