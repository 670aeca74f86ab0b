package io.counterflow.serving.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.Arrays;
import java.util.Optional;

/**
 * The preconditions of a request (RFC 9110).
 *
 * @param ifMatch the entity tags, one of which must be the current one, or {@code *}
 * @param ifNoneMatch the entity tags, none of which may be the current one, or {@code *}
 */
public record Conditions(Optional<String> ifMatch, Optional<String> ifNoneMatch) {

    static Conditions of(HttpServerRequest request) {
        return new Conditions(
                Optional.ofNullable(request.getHeader("if-match")),
                Optional.ofNullable(request.getHeader("if-none-match")));
    }

    /**
     * Refuses a request whose preconditions do not hold.
     *
     * @param current the current entity tag; empty if nothing exists
     */
    public void require(Optional<String> current) {
        boolean hold =
                ifMatch.map(tags -> contains(tags, current)).orElse(true)
                        && !ifNoneMatch.map(tags -> contains(tags, current)).orElse(false);
        if (!hold) {
            throw new ProblemException(
                    412,
                    "precondition-failed",
                    current.isPresent()
                            ? "the precondition does not hold: the current entity tag is "
                                    + current.get()
                            : "the precondition does not hold: there is nothing at this path");
        }
    }

    private static boolean contains(String tags, Optional<String> current) {
        return current.isPresent()
                && (tags.strip().equals("*")
                        || Arrays.asList(tags.strip().split("\\s*,\\s*", -1))
                                .contains(current.get()));
    }
}
