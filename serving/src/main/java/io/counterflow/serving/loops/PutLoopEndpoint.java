package io.counterflow.serving.loops;

import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.spec.LoopName;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.SpecChange;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code PUT /v1/loops/{loop}}: creates a loop or changes its spec, and describes the change.
 * Replies when Kafka has acknowledged the spec and this process has read it back.
 */
public final class PutLoopEndpoint {

    private static final LoopSpecJson JSON = new LoopSpecJson(JsonLimits.defaults());

    private final PolicyStore policies;
    private final RecordProducer log;
    private final SpecArrival arrival;
    private final Clock clock;

    /** Loops with a change that has not been read back; another would get the same version. */
    private final Set<String> changing = ConcurrentHashMap.newKeySet();

    public PutLoopEndpoint(Vertx vertx, PolicyStore policies, RecordProducer log, Clock clock) {
        this.policies = policies;
        this.log = log;
        this.arrival = new SpecArrival(vertx, policies);
        this.clock = clock;
    }

    public Endpoint endpoint() {
        return Endpoint.put("/v1/loops/{loop}", Scope.ADMIN, this::handle);
    }

    private Future<Reply> handle(Call call) {
        String name = LoopName.require(call.path("loop"));
        if (!changing.add(name)) {
            throw changedMeanwhile();
        }
        Future<Reply> changed;
        try {
            changed = change(call, name);
        } catch (RuntimeException e) {
            changed = Future.failedFuture(e);
        }
        return changed.onComplete(done -> changing.remove(name));
    }

    private Future<Reply> change(Call call, String name) {
        Optional<LoopSpec> before = policies.loop(name).map(ServedLoop::newestSpec);
        LoopSpec spec =
                JSON.read(
                        JsonFields.text(call.body()),
                        name,
                        before.map(LoopSpec::version).orElse(0L) + 1,
                        time(before));
        if (before.isEmpty()) {
            return write(spec).map(done -> reply(201, "created", List.of(), spec));
        }
        if (before.get().hasSettingsOf(spec)) {
            return Future.succeededFuture(reply(200, "unchanged", List.of(), before.get()));
        }
        SpecChange change =
                SpecChange.between(
                        policies.loop(name).map(ServedLoop::spec).orElse(before.get()), spec);
        if (change.verdict() == SpecChange.Verdict.REFUSED) {
            throw new ProblemException(
                            409, "change-refused", "the loop cannot be changed this way: " + change)
                    .with("fields", change.fields().stream().map(ChangedField::of).toList());
        }
        String verdict = JsonName.of(change.verdict());
        return write(spec).map(done -> reply(200, verdict, change.fields(), spec));
    }

    /** Later than the previous spec, even if the clocks of two processes differ. */
    private Instant time(Optional<LoopSpec> before) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        return before.map(spec -> spec.time().plus(1, ChronoUnit.MICROS))
                .filter(now::isBefore)
                .orElse(now);
    }

    private Future<Void> write(LoopSpec spec) {
        byte[] value = WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec));
        Future<Void> arrived = arrival.of(spec.loop(), spec.version());
        return Future.fromCompletionStage(log.append(Topic.LOOPS, spec.loop(), value))
                .recover(
                        failure ->
                                Future.failedFuture(
                                        ProblemException.notLogged(
                                                "the spec was not stored in time; send it"
                                                        + " again")))
                .compose(done -> arrived)
                .compose(done -> taken(spec));
    }

    /** Two processes may write the same version at the same time; the earlier spec wins. */
    private Future<Void> taken(LoopSpec spec) {
        boolean other =
                policies.loop(spec.loop())
                        .map(ServedLoop::newestSpec)
                        .filter(newest -> newest.version() == spec.version())
                        .filter(newest -> !newest.hasSettingsOf(spec))
                        .isPresent();
        return other ? Future.failedFuture(changedMeanwhile()) : Future.succeededFuture();
    }

    private static ProblemException changedMeanwhile() {
        return new ProblemException(
                409,
                "changed-meanwhile",
                "the loop was changed by another request at the same time; read it and send your"
                        + " change again");
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
                        fields.stream().map(ChangedField::of).toList()));
    }
}
