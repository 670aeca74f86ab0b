package io.counterflow.serving.http;

import org.jspecify.annotations.Nullable;

/** Observes requests. */
@FunctionalInterface
public interface RequestWatch {

    /**
     * Called when a request has been answered.
     *
     * @param route template of the endpoint; {@code none} for an unknown path
     * @param nanos from the request's first byte to its answer
     * @param failure the defect, if there was one
     */
    void answered(
            String route, int status, long nanos, RequestIds ids, @Nullable Throwable failure);
}
