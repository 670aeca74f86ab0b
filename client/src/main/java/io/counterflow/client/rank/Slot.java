package io.counterflow.client.rank;

import io.counterflow.core.features.NamedFeatures;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A place on a page that shows one action.
 *
 * @param id its id, which is also a feature
 * @param features more features of the place, of loops with named features
 * @param excludedActions ids of the actions that must not be chosen for it
 * @param baselineAction id of the action that a loop that is an apprentice shows in it; empty for
 *     the first one that is left
 */
public record Slot(
        String id,
        NamedFeatures features,
        List<String> excludedActions,
        Optional<String> baselineAction) {

    /** What an id must be. */
    public static final String ID_RULE =
            "must have 1 to 64 letters, digits, underscores, points or hyphens";

    /** So that an event id ends with the id of its slot in one way only. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

    public Slot {
        if (!isId(id)) {
            throw new IllegalArgumentException("id " + ID_RULE);
        }
        excludedActions = List.copyOf(excludedActions);
    }

    /** A slot without a baseline action. */
    public Slot(String id, NamedFeatures features, List<String> excludedActions) {
        this(id, features, excludedActions, Optional.empty());
    }

    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** A slot without more features. */
    public static Slot of(String id) {
        return new Slot(id, NamedFeatures.none(), List.of());
    }
}
