package io.counterflow.serving.http;

import java.util.Optional;

/**
 * What identifies a request in logs and replies.
 *
 * @param requestId the caller's id, or a new one
 * @param trace the caller's trace, if it has one
 */
public record RequestIds(String requestId, Optional<TraceParent> trace) {}
