package io.counterflow.flink.join;

/**
 * How far a bucket has come, as it is kept in state. Flink does not restore watermarks. Without
 * this, a copy of an impression whose window has closed would look like a new one after a restart.
 *
 * @param watermarkMs what is due at this watermark has been closed or is being closed
 * @param closedMs when the decision was due that was closed last
 * @param segment the segment of that decision
 * @param offset its offset there. Decisions are closed in order, so all others that wait come after
 */
public record Reached(long watermarkMs, long closedMs, long segment, int offset) {

    /** Of a bucket in which nothing has happened. */
    static final Reached NOTHING = new Reached(Long.MIN_VALUE, Long.MIN_VALUE, -1, -1);

    Reached watermark(long ms) {
        return ms <= watermarkMs ? this : new Reached(ms, closedMs, segment, offset);
    }

    Reached closed(Due decision) {
        Position position = decision.position();
        return new Reached(watermarkMs, decision.dueMs(), position.segment(), position.offset());
    }

    /** Whether a decision has been closed. */
    boolean hasClosed(Due decision) {
        return decision.dueMs() < closedMs
                || (decision.dueMs() == closedMs
                        && decision.position().compareTo(new Position(segment, offset)) <= 0);
    }
}
