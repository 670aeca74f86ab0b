package io.counterflow.benchmarks.streaming;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The decisions of a case. Loops take turns, so every loop is as cold as it can be when it is
 * needed.
 *
 * @param joined whether rewards arrive after their decisions; otherwise decisions contain them
 * @param shape features and actions
 * @param defaultSpec whether loops have the default settings; otherwise a small buffer and no
 *     additional steps, so that the cost around learning is visible
 * @param loops number of loops
 */
record Traffic(boolean joined, TrafficShape shape, boolean defaultSpec, int loops) {

    /** The time of the first decision. One decision follows per millisecond. */
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** With an out-of-orderness of five seconds, seven thousand decisions wait at any time. */
    static final Duration WINDOW = Duration.ofSeconds(2);

    static final double REWARDED = 0.3;

    private static final int MANY_LOOPS = 10_000;
    private static final long SMALL_BUFFER = 10_000;

    /** Parses names like {@code joined-dense-default-100}. */
    static Traffic parse(String name) {
        String[] parts = name.split("-", -1);
        boolean known =
                parts.length == 4
                        && parts[0].matches("joined|prejoined")
                        && parts[1].matches("dense|named|compact")
                        && parts[2].matches("small|default")
                        && parts[3].matches("[1-9]\\d{0,5}");
        if (!known) {
            throw new IllegalArgumentException(
                    "a case must be {joined|prejoined}-{dense|named|compact}-{small|default}-LOOPS, got \"%s\""
                            .formatted(name));
        }
        return new Traffic(
                parts[0].equals("joined"),
                TrafficShape.valueOf(parts[1].toUpperCase(Locale.ROOT)),
                parts[2].equals("default"),
                Integer.parseInt(parts[3]));
    }

    String name() {
        return "%s-%s-%s-%d"
                .formatted(
                        joined ? "joined" : "prejoined",
                        shape.name().toLowerCase(Locale.ROOT),
                        defaultSpec ? "default" : "small",
                        loops);
    }

    /** Settings of the job that are not the default ones: the loops must fit into the cache. */
    Optional<String> settings() {
        return loops < MANY_LOOPS ? Optional.empty() : Optional.of("loop.cache-size: 1gb");
    }

    String loop(int number) {
        return "loop-" + number % loops;
    }

    LoopSpec spec(String loop) {
        LoopSpec spec = shape.defaults(loop, START);
        return defaultSpec
                ? spec
                : spec.with(LoopSettings.BUFFER_CAPACITY, SMALL_BUFFER)
                        .with(LoopSettings.BUFFER_STEPS, 0L);
    }
}
