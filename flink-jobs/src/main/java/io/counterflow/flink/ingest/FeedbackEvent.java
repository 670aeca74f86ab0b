package io.counterflow.flink.ingest;

/**
 * A valid impression, reward or activation, still as the bytes that it came as.
 *
 * <p>It flows between operators and waits in keyed state. Flink writes it field by field as a
 * record, and the record within the bytes names its schema, so that state of an earlier release is
 * read by the same schema history as an old topic.
 *
 * @param kind what it says
 * @param loop the loop of the decision
 * @param eventId identity of the decision
 * @param timeMicros when it happened, in microseconds since 1970
 * @param waitMs how long an impression waits for rewards, in milliseconds; 0 for others. Here, so
 *     that the join does not decode the features to know it
 * @param prejoined whether it is an impression that brought its reward
 * @param raw where it came from, and its bytes
 */
public record FeedbackEvent(
        FeedbackKind kind,
        String loop,
        String eventId,
        long timeMicros,
        long waitMs,
        boolean prejoined,
        RawRecord raw)
        implements IngestedEvent {

    /**
     * What joins an impression with its feedback: loop and event id, so that loops that happen to
     * use the same ids never see each other's rewards. The length keeps ("a", "bc") and ("ab", "c")
     * apart.
     */
    public String key() {
        return loop.length() + ":" + loop + eventId;
    }
}
