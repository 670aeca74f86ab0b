package io.counterflow.serving.auth;

import java.util.EnumSet;
import java.util.Set;

/** A caller, with the name and the scopes of its token. */
public record Caller(String name, Set<Scope> scopes) {

    private static final Caller ANYONE = new Caller("anyone", EnumSet.allOf(Scope.class));

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    /** The caller of a server without tokens, who has all scopes. */
    public static Caller anyone() {
        return ANYONE;
    }

    /** Whether the caller has a scope. */
    public boolean may(Scope scope) {
        return scopes.contains(scope);
    }
}
