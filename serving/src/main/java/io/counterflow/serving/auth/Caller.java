package io.counterflow.serving.auth;

import java.util.EnumSet;
import java.util.Set;

/**
 * Who calls.
 *
 * @param name the name of the token, or of nobody in particular
 * @param scopes what it allows
 */
public record Caller(String name, Set<Scope> scopes) {

    private static final Caller ANYONE = new Caller("anyone", EnumSet.allOf(Scope.class));

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    /** The caller of an open server, who may do everything. */
    public static Caller anyone() {
        return ANYONE;
    }

    /** Whether this is allowed. */
    public boolean may(Scope scope) {
        return scopes.contains(scope);
    }
}
