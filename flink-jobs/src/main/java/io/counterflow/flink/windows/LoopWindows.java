package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.record.IpsWindowRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Estimates over sliding windows of the time of one loop, for each logging policy version.
 *
 * <p>An example is added to its pane. A window is the merge of its panes in time order, so its
 * bytes depend only on the examples of the loop and their order. A window ends when the time of the
 * loop reaches its end; the time of a loop never goes back, so no example is too late for its
 * window. Windows without examples have no record.
 */
public final class LoopWindows {

    private static final long MICROS_PER_MS = 1_000L;

    private final String loop;
    private final WindowConfig config;
    private final LoopPanes panes;

    LoopWindows(String loop, WindowConfig config, LoopPanes panes) {
        this.loop = loop;
        this.config = config;
        this.panes = panes;
    }

    /**
     * Adds an example. The windows before it must have ended.
     *
     * @param timeMicros the time of the loop
     * @return false if its pane has too many versions
     */
    public boolean add(ScoredExample example, long timeMicros) {
        panes.open(Math.floorDiv(timeMicros, slideMs() * MICROS_PER_MS) * slideMs());
        return panes.add(example);
    }

    /**
     * Ends the windows that are over when the time of the loop moves on.
     *
     * @param fromMicros the time of the loop so far
     * @param toMicros its new time
     * @return a list for each window with the records of its versions, in time order
     */
    public List<List<IpsWindowRecord>> advance(long fromMicros, long toMicros) {
        List<List<IpsWindowRecord>> ended = new ArrayList<>();
        long toMs = Math.floorDiv(toMicros, MICROS_PER_MS);
        OptionalLong next = nextEndMs(fromMicros);
        while (next.isPresent() && next.getAsLong() <= toMs) {
            long endMs = next.getAsLong();
            long startMs = endMs - config.size().toMillis();
            ended.add(IpsWindowRecords.of(loop, startMs, endMs, panes.window(startMs, endMs)));
            panes.forgetThrough(startMs); // this was the last window with it
            next = nextEndMs(endMs * MICROS_PER_MS);
        }
        return ended;
    }

    /** The end of the next window at a time of the loop; empty if no window is open. */
    public OptionalLong nextEndMs(long timeMicros) {
        return panes.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(
                        (Math.floorDiv(timeMicros, slideMs() * MICROS_PER_MS) + 1) * slideMs());
    }

    private long slideMs() {
        return config.slide().toMillis();
    }

    LoopPanes panes() {
        return panes;
    }

    /** Approximate heap of the open windows, in bytes. */
    public long bytes() {
        return panes.bytes();
    }
}
