package io.counterflow.client.local;

import io.counterflow.client.rank.RankedDecision;
import java.util.concurrent.CompletableFuture;

/**
 * A decision, taken here, on its way to the log.
 *
 * @param ranked what was drawn, with its propensity and the version that chose
 * @param logged true once Kafka has it, false when it could not be written in time; it never fails
 */
public record LocalDecision(RankedDecision ranked, CompletableFuture<Boolean> logged) {

    /** The event that rewards are sent for. */
    public String eventId() {
        return ranked.impression().eventId();
    }

    /** The id of the action that was chosen. */
    public String actionId() {
        return ranked.actionId();
    }
}
