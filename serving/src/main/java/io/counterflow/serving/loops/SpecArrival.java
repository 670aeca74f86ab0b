package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.serving.http.ProblemException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Consumer;

/** Waits until a written spec has been read back, so that the caller can use it at once. */
final class SpecArrival {

    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final PolicyStore policies;

    SpecArrival(Vertx vertx, PolicyStore policies) {
        this.vertx = vertx;
        this.policies = policies;
    }

    /** Succeeds when the spec has been read, fails after a time. */
    Future<Void> of(LoopSpec spec) {
        Promise<Void> arrived = Promise.promise();
        Consumer<ServedLoop> listener =
                swapped -> {
                    if (swapped.spec().loop().equals(spec.loop())
                            && swapped.newestSpec().version() >= spec.version()) {
                        arrived.tryComplete();
                    }
                };
        policies.onSwap(listener);
        policies.loop(spec.loop()).ifPresent(listener); // it may have arrived already
        long timer = vertx.setTimer(MAX_WAIT.toMillis(), ignored -> arrived.tryFail(late()));
        return arrived.future()
                .onComplete(
                        ignored -> {
                            vertx.cancelTimer(timer);
                            policies.removeListener(listener);
                        });
    }

    private static Exception late() {
        return new ProblemException(
                503,
                "not-read-back",
                "the spec is stored, but was not read back in time; check whether it is in"
                        + " force before you send it again");
    }
}
