package io.counterflow.client.local;

import io.counterflow.client.rank.RankedDecision;
import java.util.concurrent.CompletableFuture;

/**
 * A decision that was taken in this process.
 *
 * @param logged true when Kafka has acknowledged it, false when it has not in time; never fails
 */
public record LocalDecision(RankedDecision ranked, CompletableFuture<Boolean> logged) {

    /** The event that rewards are sent for. */
    public String eventId() {
        return ranked.impression().eventId();
    }

    public String actionId() {
        return ranked.actionId();
    }
}
