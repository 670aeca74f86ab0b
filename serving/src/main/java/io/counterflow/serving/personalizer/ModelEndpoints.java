package io.counterflow.serving.personalizer;

import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Calls that show the active version, as those of Azure Personalizer show its model. */
public final class ModelEndpoints {

    private final LoopOfCall loops;
    private final RequestWorkers workers;

    public ModelEndpoints(LoopOfCall loops, RequestWorkers workers) {
        this.loops = loops;
        this.workers = workers;
    }

    public List<Endpoint> endpoints() {
        String model = LoopOfCall.PREFIX + "/model";
        return List.of(
                Endpoint.reading(model, Scope.ADMIN, this::model),
                Endpoint.get(model + "/properties", this::properties),
                Endpoint.get(LoopOfCall.PREFIX + "/status", this::status));
    }

    /** The active version as a snapshot file. */
    private Future<Reply> model(Call call) {
        ServedLoop loop = loops.served(call);
        return workers.run(
                () ->
                        Reply.of(
                                200,
                                "application/octet-stream",
                                Buffer.buffer(snapshotOf(loop).orElseThrow(() -> none(loop)))));
    }

    private static ProblemException none(ServedLoop loop) {
        return new ProblemException(
                404,
                "unknown-version",
                "version %d has no parameters, because the loop has learned nothing yet"
                        .formatted(loop.active().version()));
    }

    private static Optional<byte[]> snapshotOf(ServedLoop loop) {
        return known(loop)
                .map(
                        it ->
                                it.description()
                                        .withModel(
                                                loop.active().policy().model(),
                                                loop.spec().encoder()))
                .or(
                        () ->
                                start(loop)
                                        .map(SnapshotConversion::toRecord)
                                        .map(WireCodec.of(PolicySnapshotRecord.class)::encode));
    }

    private static Optional<KnownVersion> known(ServedLoop loop) {
        return loop.versions().stream()
                .filter(it -> it.version() == loop.active().version())
                .findAny();
    }

    /** The starting policy, if it decides. */
    private static Optional<PolicySnapshot> start(ServedLoop loop) {
        return loop.spec().startingPolicy().filter(it -> it.version() == loop.active().version());
    }

    private Reply properties(Call call) {
        ServedLoop loop = loops.served(call);
        Instant created =
                known(loop)
                        .map(KnownVersion::createdAt)
                        .or(() -> start(loop).map(PolicySnapshot::createdAt))
                        .orElse(loop.spec().time());
        return Reply.json(
                200,
                Map.of("creationTime", created.toString(), "lastModifiedTime", created.toString()));
    }

    private Reply status(Call call) {
        ServedLoop loop = loops.served(call);
        return Reply.json(
                200,
                Map.of(
                        "service",
                        "Personalizer",
                        "apiStatus",
                        "Valid",
                        "apiStatusMessage",
                        loop.degradedReason()
                                .orElse("version %d decides".formatted(loop.active().version()))));
    }
}
