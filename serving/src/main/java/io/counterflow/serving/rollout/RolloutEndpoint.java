package io.counterflow.serving.rollout;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonNames;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.rollout.RolloutCommandConversion;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * {@code POST /v1/loops/{loop}/rollout}: writes the command of a person. The job decides whether it
 * can be done; the loop's rollout shows the result.
 */
public final class RolloutEndpoint {

    private final PolicyStore policies;
    private final RecordProducer log;
    private final Clock clock;

    public RolloutEndpoint(PolicyStore policies, RecordProducer log, Clock clock) {
        this.policies = policies;
        this.log = log;
        this.clock = clock;
    }

    public Endpoint endpoint() {
        return Endpoint.post("/v1/loops/{loop}/rollout", Scope.ADMIN, this::handle);
    }

    private Future<Reply> handle(Call call) {
        LoopSpec spec = call.loop(policies).spec();
        String loop = spec.loop();
        Fields fields = read(call.body(), spec.shape().parameterCount());
        RolloutCommand command = fields.command();
        // The shape of a loop never changes, so the job would refuse the policy as well.
        command.policy().ifPresent(policy -> policy.requireFits(spec));
        String commandId = fields.commandId.orElseGet(() -> UUID.randomUUID().toString());
        RolloutCommandRecord record =
                RolloutCommandConversion.toRecord(
                        command,
                        commandId,
                        loop,
                        clock.instant().truncatedTo(ChronoUnit.MICROS),
                        call.caller().name());
        byte[] value = WireCodec.of(RolloutCommandRecord.class).encode(record);
        return Future.fromCompletionStage(
                        log.append(Topic.ROLLOUT_COMMANDS, loop, record.getTime(), value))
                .map(done -> Reply.json(202, Map.of("commandId", commandId)))
                .recover(
                        failure ->
                                Future.failedFuture(
                                        ProblemException.notLogged(
                                                        "the command was not stored in time; send it"
                                                                + " again with this commandId")
                                                .with("commandId", commandId)
                                                .because(failure)));
    }

    private static final class Fields {
        private Optional<RolloutCommand.Action> action = Optional.empty();
        private OptionalLong version = OptionalLong.empty();
        private OptionalDouble share = OptionalDouble.empty();
        private Optional<PolicySnapshot> snapshot = Optional.empty();
        private OptionalLong greedyOf = OptionalLong.empty();
        private Optional<String> constantAction = Optional.empty();
        private Optional<String> reason = Optional.empty();
        private Optional<String> commandId = Optional.empty();

        RolloutCommand command() {
            return new RolloutCommand(
                    action.orElseThrow(() -> new InvalidJsonException("action", "must be given")),
                    version,
                    share,
                    RolloutCommandConversion.policy(snapshot, greedyOf, constantAction),
                    reason.orElseThrow(() -> new InvalidJsonException("reason", "must be given")));
        }
    }

    /**
     * Reads {@code {action, version?, share?, snapshot?, greedyOf?, constantAction?, reason,
     * commandId?}}.
     */
    private static Fields read(Buffer body, long maxParameters) {
        Fields fields = new Fields();
        JsonFields.read(
                body,
                (name, json) -> {
                    switch (name) {
                        case "action" ->
                                fields.action =
                                        Optional.of(
                                                JsonNames.constant(
                                                        RolloutCommand.Action.class,
                                                        name,
                                                        json.text(name)));
                        case "version" -> fields.version = OptionalLong.of(json.integer(name));
                        case "share" -> fields.share = OptionalDouble.of(json.number(name));
                        case "snapshot" ->
                                fields.snapshot = Optional.of(snapshot(name, json, maxParameters));
                        case "greedyOf" -> fields.greedyOf = OptionalLong.of(json.integer(name));
                        case "constantAction" ->
                                fields.constantAction = Optional.of(json.text(name));
                        case "reason" -> fields.reason = Optional.of(json.text(name));
                        case "commandId" -> fields.commandId = Optional.of(json.text(name));
                        default -> throw JsonFields.unknown(name);
                    }
                });
        return fields;
    }

    private static PolicySnapshot snapshot(String name, JsonDocument json, long maxParameters)
            throws IOException {
        json.require(JsonToken.START_OBJECT, name, "an object");
        try {
            return SnapshotJson.read(json, maxParameters);
        } catch (InvalidSnapshotException e) {
            throw new InvalidJsonException(name, "is invalid: " + e.getMessage());
        }
    }
}
