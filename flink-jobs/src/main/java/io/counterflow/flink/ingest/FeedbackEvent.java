package io.counterflow.flink.ingest;

import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * A valid impression, retraction, reward or activation, with its original bytes.
 *
 * <p>It flows between operators and waits in keyed state. The bytes contain the fingerprint of
 * their schema, so that state of an earlier release can be read like an old topic.
 *
 * @param timeMicros event time, in microseconds since 1970; of a retraction, the time of its
 *     impression
 * @param waitMs attribution window of an impression, in milliseconds; 0 for others. It is a field
 *     so that the join does not decode the features
 * @param prejoined whether it is an impression with a reward
 */
@TypeInfo(FeedbackEventSerializer.TypeFactory.class)
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
     * The key of the join: loop and event id, so that loops with the same ids do not share rewards.
     * The length separates ("a", "bc") from ("ab", "c").
     */
    public String key() {
        return loop.length() + ":" + loop + eventId;
    }
}
