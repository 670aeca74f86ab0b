package io.counterflow.serving.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class RecentDecisionsTest {

    private CompletableFuture<Void> acknowledged = CompletableFuture.completedFuture(null);
    private final RecentDecisions decisions =
            new RecentDecisions((topic, key, time, value) -> acknowledged);
    private final ImpressionLog log = new ImpressionLog(decisions, 1 << 20, loop -> {});

    private static Impression impression(String loop, String eventId, int dimension) {
        return new Impression(
                eventId,
                loop,
                3,
                1,
                Instant.parse("2026-01-01T00:00:00Z"),
                new Context.Vector(DenseVector.owning(new float[dimension])),
                Choice.of(0, 0.5),
                RewardRule.none(),
                OptionalDouble.empty());
    }

    private void append(Impression impression) {
        var unused = log.append(impression);
    }

    @Test
    void aDecisionIsKnownAsItWasLogged() {
        append(impression("home", "e-1", 2));
        append(impression("mail", "e-1", 3));
        assertThat(decisions.find("home", "e-1"))
                .hasValue(new RecentDecisions.Known(impression("home", "e-1", 2), false));
        assertThat(decisions.find("mail", "e-1"))
                .hasValue(new RecentDecisions.Known(impression("mail", "e-1", 3), false));
        assertThat(decisions.find("home", "e-2")).isEmpty();
        assertThat(decisions.find("other", "e-1")).isEmpty();
    }

    @Test
    void aDecisionThatKafkaDoesNotAcknowledgeIsNotKnown() {
        acknowledged = new CompletableFuture<>();
        append(impression("home", "e-1", 2));
        assertThat(decisions.find("home", "e-1")).isEmpty();
        acknowledged.complete(null);
        assertThat(decisions.find("home", "e-1")).isPresent();
    }

    @Test
    void aRetractedDecisionSaysSo() {
        append(impression("home", "e-1", 2));
        append(impression("mail", "e-1", 2));
        log.retract(impression("home", "e-1", 2));
        assertThat(decisions.find("home", "e-1").orElseThrow().retracted()).isTrue();
        assertThat(decisions.find("mail", "e-1").orElseThrow().retracted()).isFalse();
    }

    @Test
    void theOldestDecisionIsForgottenWhenThereAreTooMany() {
        for (int i = 0; i <= RecentDecisions.MAX_RECORDS; i++) {
            append(impression("home", "e-" + i, 1));
        }
        assertThat(decisions.find("home", "e-0")).isEmpty();
        assertThat(decisions.find("home", "e-1")).isPresent();
    }

    @Test
    void theOldestDecisionsAreForgottenWhenTheyAreTooLarge() {
        int dimension = 200_000; // of 4 bytes
        for (int i = 0; i < 25; i++) {
            append(impression("home", "e-" + i, dimension));
        }
        assertThat(decisions.find("home", "e-0")).isEmpty();
        assertThat(decisions.find("home", "e-24")).isPresent();
    }
}
