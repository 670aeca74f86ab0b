package io.counterflow.serving.loops;

import io.counterflow.core.spec.LoopSpec;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Supplier;

/** Writes specs, one after another for each loop, whichever process writes them. */
@FunctionalInterface
public interface SpecLog {

    /**
     * A change of a loop.
     *
     * @param spec the spec to write; empty if nothing changes
     * @param reply the reply once it is written
     */
    record Entry(Optional<LoopSpec> spec, Reply reply) {}

    /**
     * Writes a spec.
     *
     * @param change decides what to write; called when the policy store has all earlier specs of
     *     the loop, and written only if no other process has written one since then
     */
    Future<Entry> append(String loop, Supplier<Entry> change);
}
