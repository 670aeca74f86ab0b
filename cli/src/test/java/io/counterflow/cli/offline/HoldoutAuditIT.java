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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code audit} repeats the decisions of a holdout. */
final class HoldoutAuditIT {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int EVENTS = 50;

    @TempDir private Path directory;

    private ServedLoop loop;
    private DecisionAudit audit;

    @BeforeEach
    void start() throws IOException {
        LoopSpec spec =
                LoopSpec.builder("home")
                        .at(1, NOW)
                        .vectors(2, "a", "b", "c")
                        .set(LoopSettings.HOLDOUT_SHARE, 0.3)
                        .build();
        PolicyStore store =
                new PolicyStore(PolicyLimits.ofHeap(), SnapshotDirectory.none(), message -> {});
        store.takeSpec(
                "home",
                WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
        store.swap();
        loop = store.loop("home").orElseThrow();
        Files.writeString(
                directory.resolve("home.spec.json"),
                new LoopSpecJson(JsonLimits.defaults()).write(spec));
        audit = new DecisionAudit(AuditedPolicies.read(directory, new ServedOptions()));
    }

    private Impression decision(int event) {
        RankRequest request = RankRequest.of(new Context.Vector(DenseVector.of(1.0f, event)));
        return Ranker.decide(loop, request, "e-" + event, NOW).impression();
    }

    @Test
    void decisionsOfTheHoldoutMatchAlsoAfterTheyWereLoggedAsJson() {
        ImpressionJson json = new ImpressionJson(JsonLimits.defaults());
        int held = 0;
        for (int i = 0; i < EVENTS; i++) {
            Impression logged = json.read(json.write(decision(i)));
            assertThat(logged).isEqualTo(decision(i));
            held += logged.choice().holdout() ? 1 : 0;
            assertThat(audit.check(logged)).isEqualTo(DecisionAudit.Outcome.MATCH);
        }
        assertThat(held).isBetween(5, 30);
    }

    @Test
    void anEventThatIsLoggedAsOneOfTheHoldoutButIsNotIsFound() {
        for (int i = 0; i < EVENTS; i++) {
            Impression logged = decision(i);
            Choice choice = logged.choice();
            Impression claimed =
                    new Impression(
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
                                    true),
                            logged.rewardRule(),
                            logged.reward());
            assertThat(audit.check(claimed))
                    .isEqualTo(
                            choice.holdout()
                                    ? DecisionAudit.Outcome.MATCH
                                    : DecisionAudit.Outcome.ACTION);
        }
    }
}
