package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import org.jspecify.annotations.Nullable;

/** A reward or an activation of a decision that waits. */
final class WaitingFeedback extends Due {

    private final WaitingDecision decision;
    private final FeedbackEvent event;
    private final @Nullable TimedReward reward; // null for an activation
    private boolean early;
    private boolean stored;

    WaitingFeedback(WaitingDecision decision, FeedbackEvent event, @Nullable TimedReward reward) {
        super(decision.bucket());
        this.decision = decision;
        this.event = event;
        this.reward = reward;
    }

    WaitingDecision decision() {
        return decision;
    }

    FeedbackEvent event() {
        return event;
    }

    @Nullable TimedReward reward() {
        return reward;
    }

    /** Whether it waits for its impression. */
    boolean early() {
        return early;
    }

    /**
     * Makes it wait for its impression.
     *
     * @param orphanedAtMs how long
     */
    void waitUntil(long orphanedAtMs) {
        early = true;
        dueAt(orphanedAtMs);
    }

    /** Called when the impression has arrived, or will not any more. */
    void stopWaiting() {
        early = false;
    }

    /** Whether it is in the state of early feedback. */
    boolean stored() {
        return stored;
    }

    void stored(boolean isStored) {
        stored = isStored;
    }

    @Override
    Position position() {
        return Position.END;
    }

    /** Whether it has the same identity. */
    boolean isCopyOf(WaitingFeedback other) {
        if (reward == null || other.reward == null) {
            return reward == null
                    && other.reward == null
                    && event.timeMicros() == other.event.timeMicros();
        }
        return reward.metric() == other.reward.metric()
                && reward.rewardId().equals(other.reward.rewardId());
    }

    /** Of two rewards with the same id, the earlier one counts, in any order of arrival. */
    boolean precedes(WaitingFeedback copy) {
        return reward != null
                && copy.reward != null
                && TimedReward.IN_ORDER.compare(reward, copy.reward) < 0;
    }

    /** Its key in the state of early feedback. */
    String identity() {
        String own =
                reward == null
                        ? "activation " + event.timeMicros()
                        : reward.metric() + " " + reward.rewardId();
        return own.length() + ":" + own + decision.key();
    }
}
