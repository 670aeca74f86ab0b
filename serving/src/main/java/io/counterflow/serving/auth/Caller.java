package io.counterflow.serving.auth;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A caller, with the name and the permissions of its token.
 *
 * @param loops the only loops that it may use; empty for all loops
 */
public record Caller(String name, Set<Scope> scopes, Optional<Set<String>> loops) {

    private static final Caller ANYONE = new Caller("anyone", EnumSet.allOf(Scope.class));

    public Caller {
        scopes = Set.copyOf(scopes);
        loops = loops.map(Set::copyOf);
    }

    /** A caller that may use all loops. */
    public Caller(String name, Set<Scope> scopes) {
        this(name, scopes, Optional.empty());
    }

    /** The caller of a server without tokens, who has all scopes. */
    public static Caller anyone() {
        return ANYONE;
    }

    /** Whether the caller has a scope. */
    public boolean may(Scope scope) {
        return scopes.contains(scope);
    }

    /** The loop that the caller is limited to; empty if it may use several. */
    public Optional<String> onlyLoop() {
        return loops.filter(it -> it.size() == 1).map(it -> it.iterator().next());
    }

    /** Whether the caller may use a loop, which need not exist. */
    public boolean mayUse(String loop) {
        return loops.isEmpty() || loops.get().contains(loop);
    }
}
