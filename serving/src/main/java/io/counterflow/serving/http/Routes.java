package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;
import io.vertx.core.http.HttpMethod;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the endpoint for a path. Immutable. */
public final class Routes {

    private static final int MAX_SEGMENTS = 16;

    private record Entry(Endpoint endpoint, List<String> segments) {}

    /** An endpoint, and the values of the names in its template. */
    record Match(Endpoint endpoint, Map<String, String> path) {

        /** The loop that the path names; empty if it names none. */
        Optional<String> loop() {
            return Optional.ofNullable(path.get("loop"));
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final @Nullable String notReady;

    private Routes(String notReady) {
        this.notReady = notReady;
    }

    /** Refuses every path while a process is starting, and says why. */
    public static Routes notReady(String reason) {
        return new Routes(reason);
    }

    public Routes(List<Endpoint> endpoints) {
        notReady = null;
        for (Endpoint endpoint : endpoints) {
            entries.add(new Entry(endpoint, endpoint.segments()));
        }
    }

    /** Refuses an unknown path, and a method that the path does not support. */
    Match match(HttpMethod method, String path) {
        if (notReady != null) {
            throw new ProblemException(503, "not-ready", notReady);
        }
        String[] segments = path.startsWith("/") ? path.substring(1).split("/", -1) : new String[0];
        Set<String> allowed = Set.of();
        if (segments.length <= MAX_SEGMENTS) {
            for (Entry entry : entries) {
                if (fits(entry.segments(), segments)) {
                    if (entry.endpoint().method().equals(method)) {
                        return new Match(entry.endpoint(), names(entry.segments(), segments));
                    }
                    allowed = new TreeSet<>(allowed);
                    allowed.add(entry.endpoint().method().name());
                }
            }
        }
        if (allowed.isEmpty()) {
            throw ProblemException.notFound();
        }
        throw new ProblemException(
                        405,
                        "method-not-allowed",
                        "method must be " + String.join(" or ", allowed) + ", got another")
                .with("allow", String.join(", ", allowed));
    }

    private static boolean fits(List<String> template, String[] segments) {
        if (template.size() != segments.length) {
            return false;
        }
        for (int i = 0; i < segments.length; i++) {
            if (!isName(template.get(i)) && !template.get(i).equals(segments[i])) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, String> names(List<String> template, String[] segments) {
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < segments.length; i++) {
            if (isName(template.get(i))) {
                String name = template.get(i).substring(1, template.get(i).length() - 1);
                names.put(name, decoded(name, segments[i]));
            }
        }
        return names;
    }

    private static boolean isName(String segment) {
        return segment.startsWith("{");
    }

    private static String decoded(String name, String segment) {
        String text = segment;
        try {
            // A plus in a path is a plus.
            if (segment.indexOf('%') >= 0) {
                text = URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + " must be percent-encoded as URLs are", e);
        }
        Require.notEmpty(text, name);
        Require.that(text.indexOf('\uFFFD') < 0, "%s must be valid UTF-8", name);
        return text;
    }
}
