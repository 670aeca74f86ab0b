package io.counterflow.serving.http;

import org.jspecify.annotations.Nullable;

/** Is told of every request when it has been answered. */
@FunctionalInterface
public interface RequestWatch {

    /**
     * A request has been answered.
     *
     * @param route template of the route; {@code none} where there is nothing at the path
     * @param nanos from the request's first byte to its answer
     * @param failure what went wrong in here, if anything did
     */
    void answered(
            String route, int status, long nanos, String requestId, @Nullable Throwable failure);
}
