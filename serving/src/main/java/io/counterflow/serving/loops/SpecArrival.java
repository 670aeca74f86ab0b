package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.http.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Consumer;

/** Waits until specs that were written have come back, so that who wrote one can go on with it. */
public final class SpecArrival {

    /** After this, whoever wrote the spec is told that it is stored and has to look for it. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final PolicyStore policies;

    public SpecArrival(Vertx vertx, PolicyStore policies) {
        this.vertx = vertx;
        this.policies = policies;
    }

    /**
     * Succeeds when the spec is known, fails when it takes too long. To be called before writing.
     */
    Future<Void> of(String loop, long version) {
        Promise<Void> arrived = Promise.promise();
        Consumer<ServedLoop> listener =
                swapped -> {
                    if (swapped.spec().loop().equals(loop)
                            && swapped.newestSpec().version() >= version) {
                        arrived.tryComplete();
                    }
                };
        policies.onSwap(listener);
        long timer = vertx.setTimer(LONGEST.toMillis(), ignored -> arrived.tryFail(late()));
        return arrived.future()
                .onComplete(
                        ignored -> {
                            vertx.cancelTimer(timer);
                            policies.removeListener(listener);
                        });
    }

    private static Exception late() {
        return Problem.of(
                        503,
                        "not-read-back",
                        "the spec is stored, but has not come back in time; look whether it is"
                                + " there before you send it again")
                .asException();
    }
}
