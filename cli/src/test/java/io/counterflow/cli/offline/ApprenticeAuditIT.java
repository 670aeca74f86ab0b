package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.log.ServedOptions;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Ranker;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.json.ImpressionJson;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code audit} repeats the decisions that a loop would have taken, and did not. */
final class ApprenticeAuditIT {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int EVENTS = 50;

    @TempDir private Path directory;

    @Test
    void theActionThatThePolicyDrewIsDrawnAgain() throws IOException {
        LoopSpec spec =
                LoopSpec.builder("home")
                        .at(1, NOW)
                        .vectors(2, "a", "b", "c")
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.APPRENTICE)
                        .build();
        PolicyStore store =
                new PolicyStore(PolicyLimits.ofHeap(), SnapshotDirectory.none(), message -> {});
        store.takeSpec(
                "home",
                WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
        store.swap();
        ServedLoop loop = store.loop("home").orElseThrow();
        Files.writeString(
                directory.resolve("home.spec.json"),
                new LoopSpecJson(JsonLimits.defaults()).write(spec));
        DecisionAudit audit =
                new DecisionAudit(AuditedPolicies.read(directory, new ServedOptions()));
        ImpressionJson json = new ImpressionJson(JsonLimits.defaults());
        for (int i = 0; i < EVENTS; i++) {
            RankRequest request = RankRequest.of(new Context.Vector(DenseVector.of(1.0f, i)));
            Impression decided = Ranker.decide(loop, request, "e-" + i, NOW).impression();
            Impression logged = json.read(json.write(decided));
            assertThat(logged).isEqualTo(decided);
            assertThat(audit.check(logged)).isEqualTo(DecisionAudit.Outcome.MATCH);
            assertThat(audit.check(claiming(logged, (drawn(logged) + 1) % 3)))
                    .isEqualTo(DecisionAudit.Outcome.ACTION);
        }
    }

    private static int drawn(Impression logged) {
        return logged.choice().policyAction().orElseThrow();
    }

    private static Impression claiming(Impression logged, int drawn) {
        Choice choice = logged.choice();
        return new Impression(
                logged.eventId(),
                logged.loop(),
                logged.policyVersion(),
                logged.specVersion(),
                logged.time(),
                logged.context(),
                new Choice(
                        choice.action(),
                        choice.propensity(),
                        choice.propensityKind(),
                        choice.distribution(),
                        choice.allowed(),
                        choice.split(),
                        choice.holdout(),
                        OptionalInt.of(drawn)),
                logged.rewardRule(),
                logged.reward());
    }
}
