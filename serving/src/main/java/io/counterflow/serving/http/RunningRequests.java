package io.counterflow.serving.http;

import io.counterflow.serving.auth.Scope;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the requests that are being answered. Each scope has a limit of its own, so that rewards
 * that wait for Kafka do not keep back decisions. Thread-safe.
 */
final class RunningRequests {

    private final int limit;
    private final Map<Scope, AtomicInteger> running = new EnumMap<>(Scope.class);

    /**
     * @param limit limit on the requests of each scope
     */
    RunningRequests(int limit) {
        this.limit = limit;
        for (Scope scope : Scope.values()) {
            running.put(scope, new AtomicInteger());
        }
    }

    /**
     * Admits a request, which must be released once.
     *
     * @param scope its scope; a request without one is always admitted
     * @throws ProblemException if there are too many
     */
    void admit(Optional<Scope> scope) {
        if (scope.isPresent() && of(scope.get()).incrementAndGet() > limit) {
            of(scope.get()).decrementAndGet();
            throw new ProblemException(
                    503, "overloaded", "too many requests are being answered; send it again");
        }
    }

    void release(Optional<Scope> scope) {
        scope.ifPresent(it -> of(it).decrementAndGet());
    }

    private AtomicInteger of(Scope scope) {
        return Objects.requireNonNull(running.get(scope));
    }
}
