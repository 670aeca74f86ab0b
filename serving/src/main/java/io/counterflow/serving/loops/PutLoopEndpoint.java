package io.counterflow.serving.loops;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopName;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.SpecChange;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * {@code PUT /v1/loops/{loop}}: creates a loop or changes its spec, and describes the change.
 * Replies when Kafka has acknowledged the spec and this process has read it back.
 */
public final class PutLoopEndpoint {

    private final PolicyStore policies;
    private final LoopSpecJson json;
    private final SpecLog log;
    private final Clock clock;

    public PutLoopEndpoint(PolicyStore policies, SpecLog log, Clock clock) {
        this.policies = policies;
        this.json = new LoopSpecJson(JsonLimits.defaults(), policies.limits().maxParameters());
        this.log = log;
        this.clock = clock;
    }

    public Endpoint endpoint() {
        return Endpoint.put("/v1/loops/{loop}", Scope.ADMIN, this::handle);
    }

    private Future<Reply> handle(Call call) {
        String name = LoopName.require(call.path("loop"));
        byte[] settings = call.body().getBytes();
        // Refuses what is invalid or too large without Kafka.
        requireRoom(json.read(settings, name, 1, clock.instant()));
        return log.append(name, () -> change(call, name, settings)).map(SpecLog.Entry::reply);
    }

    /** This process would refuse to serve the loop. */
    private void requireRoom(LoopSpec spec) {
        policies.limits().require(spec);
        String refusal = policies.refusedLoops().get(spec.loop());
        if (refusal != null) {
            throw new ProblemException(
                    409, "loop-refused", "the loop exists and is not served: " + refusal);
        }
        if (takesMemory(spec)) {
            policies.shortage(spec)
                    .ifPresent(
                            shortage -> {
                                throw new ProblemException(
                                        409,
                                        "policies-too-large",
                                        "there is no room for a version: " + shortage);
                            });
        }
    }

    /** Whether the spec brings a version: a loop that is new, or another starting policy. */
    private boolean takesMemory(LoopSpec spec) {
        Optional<LoopSpec> before = policies.loop(spec.loop()).map(ServedLoop::newestSpec);
        return before.isEmpty()
                || (spec.startingPolicy().isPresent() && !before.get().hasSettingsOf(spec));
    }

    private SpecLog.Entry change(Call call, String name, byte[] settings) {
        Optional<LoopSpec> before = policies.loop(name).map(ServedLoop::newestSpec);
        call.conditions().require(before.map(SpecTag::of));
        LoopSpec spec =
                json.read(
                        settings,
                        name,
                        before.map(LoopSpec::version).orElse(0L) + 1,
                        SpecTime.after(before, clock));
        requireBaseline(spec, policies.loop(name));
        if (before.isEmpty()) {
            return SpecLog.Entry.of(spec, reply(201, "created", List.of(), spec));
        }
        if (before.get().hasSettingsOf(spec)) {
            return SpecLog.Entry.unchanged(reply(200, "unchanged", List.of(), before.get()));
        }
        SpecChange change =
                SpecChange.between(
                        policies.loop(name).map(ServedLoop::spec).orElse(before.get()), spec);
        if (change.verdict() == SpecChange.Verdict.REFUSED) {
            throw new ProblemException(
                            409, "change-refused", "the loop cannot be changed this way: " + change)
                    .with("fields", change.fields().stream().map(ChangedField::of).toList());
        }
        return SpecLog.Entry.of(
                spec, reply(200, JsonName.of(change.verdict()), change.fields(), spec));
    }

    /** The job refuses a holdout of another version as well, but later. */
    private static void requireBaseline(LoopSpec spec, Optional<ServedLoop> loop) {
        long version = spec.holdoutVersion();
        boolean stored =
                version == spec.startingVersion()
                        || loop.stream()
                                .flatMap(it -> it.versions().stream())
                                .anyMatch(it -> it.version() == version);
        Require.that(
                stored, "holdoutVersion must be a version that is still stored, got %s", version);
    }

    private record ChangedField(String name, String verdict, String reason) {
        static ChangedField of(SpecChange.Field field) {
            return new ChangedField(field.name(), JsonName.of(field.verdict()), field.reason());
        }
    }

    private record Changed(String loop, long version, String change, List<ChangedField> fields) {}

    private static Reply reply(
            int status, String change, List<SpecChange.Field> fields, LoopSpec spec) {
        return Reply.json(
                        status,
                        new Changed(
                                spec.loop(),
                                spec.version(),
                                change,
                                fields.stream().map(ChangedField::of).toList()))
                .with("etag", SpecTag.of(spec));
    }
}
