package io.counterflow.flink.join;

/** Why a record is not part of a joined example. The names are on the topic and in metrics. */
enum LateReason {
    IMPRESSION_AFTER_ITS_WINDOW("the impression arrived after its window had closed"),
    CONFLICTING_IMPRESSION(
            "the event has different decisions, and which one the user saw is unknown"),
    RETRACTED("the answer with the decision did not reach the caller"),
    REWARD_AFTER_WINDOW("it happened after the impression's window"),
    REWARD_BEFORE_IMPRESSION("it happened too long before the impression"),
    ALREADY_REWARDED("the impression brought its reward with it"),
    NOT_ACTIVATED("the impression was deferred, and no activation came within its window"),
    NO_GUARDRAIL("the loop had no guardrail at the time of the decision"),
    TOO_MUCH_FEEDBACK("the event has as many decisions, rewards and activations as are kept"),
    // The impression is unknown, or its window has closed and its state is removed.
    ORPHANED("no impression came that was waiting for it");

    private final String words;

    LateReason(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }
}
