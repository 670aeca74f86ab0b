package io.counterflow.serving.http;

import io.vertx.core.MultiMap;

/** Headers that keep browsers from doing more with an answer than showing it. */
final class SecurityHeaders {

    private SecurityHeaders() {}

    static void put(MultiMap headers) {
        headers.set("x-content-type-options", "nosniff");
        headers.set("cache-control", "no-store");
        headers.set("referrer-policy", "no-referrer");
        headers.set("x-frame-options", "DENY");
        // The page brings its own scripts and styles, and talks to nobody but us.
        headers.set(
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                        + " frame-ancestors 'none'");
    }
}
