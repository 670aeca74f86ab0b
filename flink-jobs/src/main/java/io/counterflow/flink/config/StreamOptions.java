package io.counterflow.flink.config;

import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/** What is let in, how event time moves, how long is waited, and what is kept. */
public final class StreamOptions {

    public static final ConfigOption<MemorySize> MAX_RECORD_SIZE =
            ConfigOptions.key("ingest.max-record-size")
                    .memoryType()
                    .defaultValue(new MemorySize(950_000))
                    .withDescription("Largest record that is read.");

    public static final ConfigOption<Integer> MAX_NAME_LENGTH =
            ConfigOptions.key("ingest.max-name-length")
                    .intType()
                    .defaultValue(512)
                    .withDescription("Longest event id, reward id or command id, in characters.");

    public static final ConfigOption<Duration> MAX_CLOCK_SKEW =
            ConfigOptions.key("ingest.max-clock-skew")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription("How far a record's time may be ahead of Kafka's.");

    public static final ConfigOption<Duration> MAX_ATTRIBUTION_WINDOW =
            ConfigOptions.key("ingest.max-attribution-window")
                    .durationType()
                    .defaultValue(Duration.ofDays(30))
                    .withDescription(
                            "Longest wait for rewards that an impression may ask for: it bounds the"
                                    + " state that one costs.");

    public static final ConfigOption<Duration> MAX_OUT_OF_ORDERNESS =
            ConfigOptions.key("watermarks.max-out-of-orderness")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(5))
                    .withDescription(
                            "How much older than its predecessors a record may be. Higher: fewer"
                                    + " late records, and everything happens later.");

    public static final ConfigOption<Duration> IDLE_TIMEOUT =
            ConfigOptions.key("watermarks.idle-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "After how long without any record, heartbeats included, a partition of"
                                    + " impressions or rewards no longer holds the others back.");

    public static final ConfigOption<Duration> CONTROL_IDLE_TIMEOUT =
            ConfigOptions.key("watermarks.control-idle-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(5))
                    .withDescription(
                            "The same for specs and commands. Everything waits this long when the"
                                    + " job starts.");

    public static final ConfigOption<Duration> MAX_DRIFT =
            ConfigOptions.key("watermarks.max-drift")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription(
                            "How far impressions may be read ahead of rewards, or the other way, so"
                                    + " that catching up does not fill the state.");

    public static final ConfigOption<Duration> IMPRESSION_WAIT =
            ConfigOptions.key("join.impression-wait")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "How long a reward waits for an impression that comes after it, and how"
                                    + " much earlier than its impression it may have happened.");

    public static final ConfigOption<Integer> MAX_FEEDBACK =
            ConfigOptions.key("join.max-feedback")
                    .intType()
                    .defaultValue(1_000)
                    .withDescription(
                            "Most rewards and activations that are kept for one decision; more are"
                                    + " late.");

    public static final ConfigOption<MemorySize> LOOP_CACHE =
            ConfigOptions.key("loop.cache-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "Heap for loops that are at hand, per subtask. More loops wait in the"
                                    + " state backend; results are the same.");

    public static final ConfigOption<MemorySize> LOOP_PENDING =
            ConfigOptions.key("loop.pending-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Heap for events that wait for the watermark, per subtask. More of them"
                                    + " wait in the state backend; results are the same.");

    public static final ConfigOption<MemorySize> LOOP_BUFFER =
            ConfigOptions.key("loop.buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(128))
                    .withDescription(
                            "Most memory of one loop's example buffer. Part of what is learned: a"
                                    + " replay needs it as it was.");

    public static final ConfigOption<Integer> KEPT_VERSIONS =
            ConfigOptions.key("loop.kept-versions")
                    .intType()
                    .defaultValue(10)
                    .withDescription(
                            "How many of a loop's newest versions can still be promoted or returned"
                                    + " to. Part of what is learned: a replay needs it as it was.");

    public static final ConfigOption<MemorySize> MAX_LOOP =
            ConfigOptions.key("loop.max-loop-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(512))
                    .withDescription(
                            "Most heap of one loop beside its buffer: some eleven times its"
                                    + " parameters. A spec that asks for more is refused.");

    public static final ConfigOption<Duration> WINDOW_SIZE =
            ConfigOptions.key("windows.size")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription("How much event time a window of estimates covers.");

    public static final ConfigOption<Duration> WINDOW_SLIDE =
            ConfigOptions.key("windows.slide")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription("How much later the next window begins.");

    public static final ConfigOption<MemorySize> WINDOW_CACHE =
            ConfigOptions.key("windows.cache-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Heap for windows that are being filled, per subtask. More of them wait"
                                    + " in the state backend; results are the same.");

    public static final ConfigOption<Integer> METERED_LOOPS =
            ConfigOptions.key("windows.metered-loops")
                    .intType()
                    .defaultValue(100)
                    .withDescription(
                            "How many loops have gauges of their estimates, per subtask. Estimates"
                                    + " of the others are on the topic only.");

    private StreamOptions() {}

    static List<ConfigOption<?>> all() {
        return List.of(
                MAX_RECORD_SIZE,
                MAX_NAME_LENGTH,
                MAX_CLOCK_SKEW,
                MAX_ATTRIBUTION_WINDOW,
                MAX_OUT_OF_ORDERNESS,
                IDLE_TIMEOUT,
                CONTROL_IDLE_TIMEOUT,
                MAX_DRIFT,
                IMPRESSION_WAIT,
                MAX_FEEDBACK,
                LOOP_CACHE,
                LOOP_PENDING,
                LOOP_BUFFER,
                KEPT_VERSIONS,
                MAX_LOOP,
                WINDOW_SIZE,
                WINDOW_SLIDE,
                WINDOW_CACHE,
                METERED_LOOPS);
    }
}
