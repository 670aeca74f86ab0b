package io.counterflow.core.features;

/**
 * A pair of namespaces whose features are multiplied: one of the context and one of the actions.
 *
 * <p>Written as {@code context:action}, for example {@code user:topic}; {@code *} stands for any
 * namespace, and the empty name for the default namespace, which contains top-level values that are
 * not objects. So {@code user:*} multiplies the features of the user with all features of an
 * action, and {@code *:id} gives every action its own weights for every feature of the context.
 *
 * @param contextNamespace a top-level namespace of the context, or {@code *}
 * @param actionNamespace a top-level namespace of the actions, or {@code *}
 */
public record Interaction(String contextNamespace, String actionNamespace) {

    /** Stands for any namespace. */
    public static final String ANY = "*";

    public Interaction {
        if (contextNamespace.indexOf(':') >= 0 || actionNamespace.indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "namespaces of an interaction must not hold a colon, got \"%s\" and \"%s\""
                            .formatted(contextNamespace, actionNamespace));
        }
    }

    /** Reads {@code context:action}; blanks are significant. */
    public static Interaction parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0 || text.indexOf(':', colon + 1) >= 0) {
            throw new IllegalArgumentException(
                    "interaction must be written context:action, got \"" + text + "\"");
        }
        return new Interaction(text.substring(0, colon), text.substring(colon + 1));
    }

    /** Whether the features of these two namespaces are multiplied. */
    public boolean covers(String context, String action) {
        return matches(contextNamespace, context) && matches(actionNamespace, action);
    }

    private static boolean matches(String pattern, String namespace) {
        return pattern.equals(ANY) || pattern.equals(namespace);
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        return contextNamespace + ":" + actionNamespace;
    }
}
