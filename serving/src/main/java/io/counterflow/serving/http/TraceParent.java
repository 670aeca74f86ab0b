package io.counterflow.serving.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The header {@code traceparent} of a request (W3C Trace Context), which links the request to the
 * trace of its caller. Contains only hexadecimal digits and dashes.
 */
public record TraceParent(String text) {

    static final String HEADER = "traceparent";

    private static final Pattern FIRST_VERSION =
            Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    public TraceParent {
        if (!FIRST_VERSION.matcher(text).matches()) {
            throw new IllegalArgumentException("traceparent must be as in W3C Trace Context");
        }
    }

    /**
     * Reads the header.
     *
     * @param values all values of the header
     * @return empty if there is not exactly one value, or if it is not as the standard says
     */
    static Optional<TraceParent> read(List<String> values) {
        return values.size() == 1 && FIRST_VERSION.matcher(values.get(0)).matches()
                ? Optional.of(new TraceParent(values.get(0)))
                : Optional.empty();
    }
}
