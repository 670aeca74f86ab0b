package io.counterflow.serving.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for long work, which would delay other requests on an event loop. The queue is bounded.
 */
public final class RequestWorkers {

    private static final int MAX_WAITING = 200;

    private final WorkerExecutor executor;
    private final AtomicInteger waiting = new AtomicInteger();

    public RequestWorkers(Vertx vertx, int threads) {
        this.executor = vertx.createSharedWorkerExecutor("requests", threads);
    }

    /** Runs work on a worker; refuses it when the queue is full. */
    public <T> Future<T> run(Callable<T> work) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            throw new ProblemException(
                    503, "overloaded", "too many large requests are waiting; send it again");
        }
        return executor.executeBlocking(work, false)
                .onComplete(ignored -> waiting.decrementAndGet());
    }
}
