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
     * @param spec the spec to write; empty if nothing changes, or if the loop is deleted
     * @param deletes whether the loop is deleted
     * @param reply the reply once it is written and read back
     */
    record Entry(Optional<LoopSpec> spec, boolean deletes, Reply reply) {

        static Entry of(LoopSpec spec, Reply reply) {
            return new Entry(Optional.of(spec), false, reply);
        }

        static Entry deletion(Reply reply) {
            return new Entry(Optional.empty(), true, reply);
        }

        static Entry unchanged(Reply reply) {
            return new Entry(Optional.empty(), false, reply);
        }
    }

    /**
     * Writes a change, and waits until this process has read it back, so that the caller can use it
     * at once.
     *
     * @param change decides what to write; called when the policy store has all earlier specs of
     *     the loop, and written only if no other process has written one since then
     */
    Future<Entry> append(String loop, Supplier<Entry> change);
}
