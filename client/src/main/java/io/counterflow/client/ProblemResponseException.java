package io.counterflow.client;

import java.io.IOException;

/** The server has replied with a problem document. */
public final class ProblemResponseException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String type;
    private final String detail;
    private final String instance;

    /**
     * @param type the kind of problem, a fixed name such as {@code
     *     urn:counterflow:problem:unknown-loop}
     * @param detail a description for people
     * @param instance the request's id in the server's log
     */
    public ProblemResponseException(int status, String type, String detail, String instance) {
        super("%d %s: %s (%s)".formatted(status, type, detail, instance));
        this.status = status;
        this.type = type;
        this.detail = detail;
        this.instance = instance;
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

    /** Whether the same request may succeed later. */
    public boolean isTemporary() {
        return status == 503 || status == 429;
    }
}
