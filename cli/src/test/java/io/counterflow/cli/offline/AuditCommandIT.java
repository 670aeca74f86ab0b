package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.snapshot.SnapshotFile;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AuditCommandIT {

    private static final int DECISIONS = 300;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final DenseModel FIRST = SimulatedLoop.randomModel(4, 3, 1.0, 1);
    private static final DenseModel SECOND = SimulatedLoop.randomModel(4, 3, 1.0, 2);

    @TempDir private Path directory;

    private Path policies;
    private LoopSpec spec;

    @BeforeEach
    void writePolicies() throws Exception {
        policies = Files.createDirectory(directory.resolve("policies"));
        String json =
                """
                {"loop":"home","version":2,"actions":["a","b","c","d"],"features":3,
                 "explorationFloor":0.1,"inverseTemperature":1.5}
                """;
        spec = new LoopSpecJson(JsonLimits.defaults()).read(json, "home", 2, START);
        Files.writeString(policies.resolve("home-2.spec.json"), json);
        write(1, FIRST);
        write(2, SECOND);
    }

    private void write(long version, LinearModel model) throws Exception {
        SnapshotFile.write(
                policies.resolve("home-%d.snapshot".formatted(version)),
                PolicySnapshot.of("home", version, model, Optional.empty()));
    }

    /** The decisions of three versions, each changed by a function. */
    private Path log(UnaryOperator<Impression> done) throws Exception {
        List<LinearModel> models = List.of(spec.startingModel(), FIRST, SECOND);
        Path file = directory.resolve("log.jsonl");
        Files.deleteIfExists(file);
        try (LogWriter writer = LogWriter.create(file)) {
            for (int i = 0; i < DECISIONS; i++) {
                writer.write(done.apply(impression(i, models)));
            }
            writer.finish();
        }
        return file;
    }

    private Impression impression(int i, List<LinearModel> models) {
        String eventId = "e-" + i;
        int version = i % 3;
        EventRandom random = new EventRandom(i);
        DenseVector x =
                DenseVector.of((float) random.nextGaussian(), (float) random.nextGaussian(), 1.0f);
        AllowedActions allowed = i % 5 == 0 ? AllowedActions.allBut(1) : AllowedActions.ALL;
        Decision decision =
                spec.policyOf(models.get(version))
                        .decide(x, allowed, EventRandom.ofAction("home", eventId));
        List<Double> distribution = new ArrayList<>();
        Arrays.stream(decision.distribution()).forEach(distribution::add);
        return new Impression(
                eventId,
                "home",
                version,
                2,
                START.plusSeconds(i),
                new Context.Vector(x),
                new Choice(
                        decision.action(),
                        OptionalDouble.of(decision.propensity()),
                        decision.kind(),
                        distribution,
                        allowed),
                RewardRule.none(),
                OptionalDouble.of(0.0));
    }

    @Test
    void allDecisionsOfACorrectLogMatch() throws Exception {
        JsonNode audit =
                OfflineCommands.json("audit", "--log", log(it -> it), "--policies", policies);
        assertThat(audit.get("decisions").asInt()).isEqualTo(DECISIONS);
        assertThat(audit.get("matches").asInt()).isEqualTo(DECISIONS);
        assertThat(audit.get("otherActions").asInt()).isZero();
        assertThat(audit.get("otherPropensities").asInt()).isZero();
        assertThat(audit.get("unknownPolicies").asInt()).isZero();
    }

    @Test
    void aPropensityOfAnotherVersionIsAMismatch() throws Exception {
        OfflineCommands commands = new OfflineCommands();
        Path log =
                log(
                        it ->
                                it.eventId().equals("e-7")
                                        ? it.withPropensity(
                                                it.choice().propensity().orElseThrow() * 0.999,
                                                it.choice().propensityKind())
                                        : it);
        assertThat(commands.run("audit", "--log", log, "--policies", policies))
                .isEqualTo(ExitCode.FAILED);
        assertThat(commands.err()).contains("first mismatch: event e-7: other propensity");
    }

    @Test
    void aDecisionByAnUnknownPolicyIsCountedAndIsNoMismatch() throws Exception {
        Files.delete(policies.resolve("home-2.snapshot"));
        JsonNode audit =
                OfflineCommands.json("audit", "--log", log(it -> it), "--policies", policies);
        assertThat(audit.get("unknownPolicies").asInt()).isEqualTo(DECISIONS / 3);
        assertThat(audit.get("matches").asInt()).isEqualTo(DECISIONS - DECISIONS / 3);
    }

    @Test
    void aDirectoryWithoutPoliciesIsRefused() throws Exception {
        OfflineCommands commands = new OfflineCommands();
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThat(commands.run("audit", "--log", log(it -> it), "--policies", empty))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("--policies must contain snapshots");
    }
}
