package io.counterflow.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server has replied with a problem document. */
public final class ProblemResponseException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String type;
    private final String detail;
    private final String instance;
    private final @Nullable Duration retryAfter;

    /**
     * @param type the kind of problem, a fixed name such as {@code
     *     urn:counterflow:problem:unknown-loop}
     * @param detail a description for people
     * @param instance the request's id in the server's log
     * @param retryAfter time after which the server can be asked again; empty if it does not say
     */
    public ProblemResponseException(
            int status,
            String type,
            String detail,
            String instance,
            Optional<Duration> retryAfter) {
        super("%d %s: %s (%s)".formatted(status, type, detail, instance));
        this.status = status;
        this.type = type;
        this.detail = detail;
        this.instance = instance;
        this.retryAfter = retryAfter.orElse(null);
    }

    public int status() {
        return status;
    }

    public String type() {
        return type;
    }

    public String detail() {
        return detail;
    }

    public String instance() {
        return instance;
    }

    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Whether the same request may succeed later. */
    public boolean isTemporary() {
        return status == 503 || status == 429;
    }
}
