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
                    .withDescription(
                            "Maximum size of a record that the job reads. A larger"
                                    + " record becomes a dead letter.");

    public static final ConfigOption<Integer> MAX_NAME_LENGTH =
            ConfigOptions.key("ingest.max-name-length")
                    .intType()
                    .defaultValue(512)
                    .withDescription(
                            "Maximum length of an event id, reward id or command id,"
                                    + " in characters.");

    public static final ConfigOption<Duration> MAX_CLOCK_SKEW =
            ConfigOptions.key("ingest.max-clock-skew")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "How far the time of a record may be ahead of its Kafka"
                                    + " timestamp.");

    public static final ConfigOption<Duration> MAX_ATTRIBUTION_WINDOW =
            ConfigOptions.key("ingest.max-attribution-window")
                    .durationType()
                    .defaultValue(Duration.ofDays(30))
                    .withDescription(
                            "Maximum attribution window of an impression. Limits how"
                                    + " long an impression stays in the state.");

    public static final ConfigOption<Duration> MAX_OUT_OF_ORDERNESS =
            ConfigOptions.key("watermarks.max-out-of-orderness")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(5))
                    .withDescription(
                            "How much older than the records before it a record may"
                                    + " be. A higher value gives fewer late records and delays"
                                    + " all results.");

    public static final ConfigOption<Duration> IDLE_TIMEOUT =
            ConfigOptions.key("watermarks.idle-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "A partition of `impressions` or `rewards` without any"
                                    + " record, heartbeats included, for this long no longer"
                                    + " holds back the watermark.");

    public static final ConfigOption<Duration> CONTROL_IDLE_TIMEOUT =
            ConfigOptions.key("watermarks.control-idle-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(5))
                    .withDescription(
                            "The same for `loops` and `rollout-commands`. After a"
                                    + " start, the job waits up to this long before it learns.");

    public static final ConfigOption<Duration> MAX_DRIFT =
            ConfigOptions.key("watermarks.max-drift")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription(
                            "Maximum difference in event time between reading"
                                    + " `impressions` and reading `rewards`. Limits the state"
                                    + " while the job catches up.");

    public static final ConfigOption<Duration> IMPRESSION_WAIT =
            ConfigOptions.key("join.impression-wait")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "How long a reward waits for an impression that arrives"
                                    + " after it. Also how much earlier than its impression a"
                                    + " reward may have occurred.");

    public static final ConfigOption<Integer> MAX_FEEDBACK =
            ConfigOptions.key("join.max-feedback")
                    .intType()
                    .defaultValue(1_000)
                    .withDescription(
                            "Maximum number of rewards and activations kept for one"
                                    + " decision. Further ones are late.");

    public static final ConfigOption<MemorySize> LOOP_CACHE =
            ConfigOptions.key("loop.cache-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "Heap for loops in memory, per subtask. Other loops stay"
                                    + " in the state backend. Does not change results.");

    public static final ConfigOption<MemorySize> LOOP_PENDING =
            ConfigOptions.key("loop.pending-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Heap for events that wait for the watermark, per"
                                    + " subtask. Further events wait in the state backend. Does"
                                    + " not change results.");

    public static final ConfigOption<MemorySize> LOOP_BUFFER =
            ConfigOptions.key("loop.buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(128))
                    .withDescription(
                            "Maximum memory of the example buffer of one loop."
                                    + " Changes results: a batch run needs the value of the"
                                    + " live job.");

    public static final ConfigOption<Integer> KEPT_VERSIONS =
            ConfigOptions.key("loop.kept-versions")
                    .intType()
                    .defaultValue(10)
                    .withDescription(
                            "How many of the newest versions of a loop can still be"
                                    + " promoted or rolled back to. Changes results: a batch"
                                    + " run needs the value of the live job.");

    public static final ConfigOption<MemorySize> MAX_LOOP =
            ConfigOptions.key("loop.max-loop-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(512))
                    .withDescription(
                            "Maximum heap of one loop without its buffer, which is"
                                    + " about eleven times its parameters. A spec that needs"
                                    + " more is refused. Changes results: a batch run needs the"
                                    + " value of the live job.");

    public static final ConfigOption<Duration> WINDOW_SIZE =
            ConfigOptions.key("windows.size")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription("Length of a window of estimates, in event time.");

    public static final ConfigOption<Duration> WINDOW_SLIDE =
            ConfigOptions.key("windows.slide")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription("Time between the starts of two consecutive windows.");

    public static final ConfigOption<MemorySize> WINDOW_CACHE =
            ConfigOptions.key("windows.cache-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Heap for open windows, per subtask. Other windows stay"
                                    + " in the state backend. Does not change results.");

    public static final ConfigOption<Integer> METERED_LOOPS =
            ConfigOptions.key("windows.metered-loops")
                    .intType()
                    .defaultValue(100)
                    .withDescription(
                            "Maximum number of loops whose estimates are exported as"
                                    + " metrics, per subtask. Estimates of all loops are on"
                                    + " `ips-stats`.");

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
