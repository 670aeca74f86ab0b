package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Changes some settings of a loop that exists, for calls that do not send a whole spec. */
public final class SpecEditor {

    private final PolicyStore policies;
    private final SpecLog log;
    private final Clock clock;

    public SpecEditor(PolicyStore policies, SpecLog log, Clock clock) {
        this.policies = policies;
        this.log = log;
        this.clock = clock;
    }

    /**
     * Changes settings. Completes when Kafka has acknowledged the spec and this process has read it
     * back.
     *
     * @param change sets the new values; only settings that may be changed at any time
     * @param reply writes the reply for the spec
     */
    public Future<Reply> edit(
            Call call,
            String loop,
            Consumer<LoopSpec.Builder> change,
            Function<LoopSpec, Reply> reply) {
        Object unused = changed(newest(loop), change); // refuses wrong values without Kafka
        return log.append(loop, () -> entry(call, newest(loop), change, reply))
                .map(SpecLog.Entry::reply);
    }

    private LoopSpec newest(String loop) {
        return policies.loop(loop)
                .map(ServedLoop::newestSpec)
                .orElseThrow(() -> ProblemException.notServed(loop, policies));
    }

    private LoopSpec changed(LoopSpec before, Consumer<LoopSpec.Builder> change) {
        LoopSpec.Builder builder = before.toBuilder();
        change.accept(builder);
        return builder.at(before.version() + 1, SpecTime.after(Optional.of(before), clock)).build();
    }

    private SpecLog.Entry entry(
            Call call,
            LoopSpec before,
            Consumer<LoopSpec.Builder> change,
            Function<LoopSpec, Reply> reply) {
        call.conditions().require(Optional.of(SpecTag.of(before)));
        LoopSpec after = changed(before, change);
        return before.hasSettingsOf(after)
                ? SpecLog.Entry.unchanged(reply.apply(before))
                : SpecLog.Entry.of(after, reply.apply(after));
    }
}
