package io.counterflow.serving.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for the parts of requests that take so long that others of the same connection thread
 * would feel it. What waits for them is bounded, and nothing else waits behind it.
 */
public final class RequestWorkers {

    private static final int MAX_WAITING = 200;

    private final WorkerExecutor executor;
    private final AtomicInteger waiting = new AtomicInteger();

    public RequestWorkers(Vertx vertx, int threads) {
        this.executor = vertx.createSharedWorkerExecutor("requests", threads);
    }

    /** Does some work elsewhere; refuses it when too much waits already. */
    public <T> Future<T> run(Callable<T> work) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            throw Problem.of(503, "overloaded", "too many large requests wait; send it again")
                    .asException();
        }
        return executor.executeBlocking(work, false)
                .onComplete(ignored -> waiting.decrementAndGet());
    }
}
