package io.counterflow.flink.histories;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.flink.loop.LoopEvents;
import io.counterflow.schemas.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/**
 * Draws a history from a seed. Times lie on a coarse grid, often exactly at the ends of windows, so
 * that whatever can coincide does.
 */
final class DrawnHistory {

    private static final long MICROS = 1_000L;
    private static final long GRID_MS = 100;
    private static final double[] VALUES = {0.0, 0.25, 0.5, 1.0};
    private static final long[] WINDOWS_MS = {0, 100, 500, 1_000, 1_000, 2_000};

    private record Append(
            long ms, int number, Topic topic, int partition, String key, Meaning meaning) {}

    private final SplittableRandom random;
    private final List<Append> appends = new ArrayList<>();
    private final int partitions;
    private final long lengthMs;

    private DrawnHistory(long seed) {
        random = new SplittableRandom(seed);
        partitions = 1 + random.nextInt(3);
        lengthMs = 1_000L * (2 + random.nextInt(4));
    }

    static History of(long seed) {
        return new DrawnHistory(seed).draw();
    }

    private History draw() {
        int loops = 1 + random.nextInt(3);
        for (int loop = 0; loop < loops; loop++) {
            controls("loop" + loop);
        }
        int decisions = 2 + random.nextInt(9);
        for (int number = 0; number < decisions; number++) {
            String loop = oneIn(20) ? "nobody" : "loop" + random.nextInt(loops);
            event(loop, "e" + (oneIn(8) ? number / 2 : number));
        }
        if (oneIn(60)) {
            closeTogether();
        }
        heartbeats();
        if (oneIn(5)) {
            Topic[] topics = {
                Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS
            };
            long ms = grid(lengthMs);
            append(ms, topics[random.nextInt(4)], 0, "?", new Meaning.Garbage(ms * MICROS));
        }
        return new History(
                records(),
                new History.Settings(
                        partitions,
                        (int) pick(1, 1, 1, 2, 2, 3),
                        random.nextBoolean(),
                        3 + random.nextInt(30),
                        random.nextInt(4),
                        (int) pick(0, 0, 0, 1),
                        random.nextInt(3),
                        1 + random.nextInt(4),
                        oneIn(3) ? random.nextInt(2 * partitions) : -1),
                random.nextLong());
    }

    private boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    private long grid(long endMs) {
        return GRID_MS * random.nextLong(Math.max(0, endMs) / GRID_MS + 1);
    }

    private long pick(long... values) {
        return values[random.nextInt(values.length)];
    }

    private void append(long ms, Topic topic, int partition, String key, Meaning meaning) {
        appends.add(new Append(Math.max(0, ms), appends.size(), topic, partition, key, meaning));
    }

    private void controls(String loop) {
        long version = 1;
        if (!oneIn(20)) {
            spec(loop, version, oneIn(3) ? grid(lengthMs) : 0);
        }
        for (int change = random.nextInt(3); change > 0; change--) {
            version += pick(1, 1, 1, 0);
            spec(loop, version, grid(lengthMs));
        }
        if (oneIn(8)) {
            long ms = grid(lengthMs);
            append(ms, Topic.LOOPS, 0, loop, new Meaning.Deletion(loop, ms * MICROS));
            if (oneIn(2)) {
                spec(loop, version + 1, ms + grid(1_000));
            }
        }
        for (int command = random.nextInt(4); command > 0; command--) {
            long ms = grid(lengthMs);
            Meaning meaning =
                    new Meaning.Command(
                            loop, "c" + random.nextInt(4), ms * MICROS, random.nextLong());
            append(ms, Topic.ROLLOUT_COMMANDS, 0, loop, meaning);
            if (oneIn(4)) {
                append(ms + grid(1_000), Topic.ROLLOUT_COMMANDS, 0, loop, meaning);
            }
        }
    }

    private void spec(String loop, long version, long ms) {
        append(
                ms,
                Topic.LOOPS,
                0,
                loop,
                new Meaning.Spec(loop, version, ms * MICROS, !oneIn(12), random.nextLong()));
    }

    /** An event with its answers, and what comes of them. */
    private void event(String loop, String event) {
        long shown = grid(lengthMs) * MICROS + pick(0, 0, 0, 1, 999);
        RewardAggregation[] aggregations = RewardAggregation.values();
        Meaning.Decision decision =
                new Meaning.Decision(
                        loop,
                        event,
                        shown,
                        random.nextInt(LoopEvents.ACTIONS),
                        pick(0, 0, 0, 1, 2),
                        WINDOWS_MS[random.nextInt(WINDOWS_MS.length)],
                        oneIn(4),
                        value(),
                        oneIn(3) ? 0.5 : 0.0,
                        aggregations[random.nextInt(aggregations.length)],
                        oneIn(3) ? OptionalDouble.of(value()) : OptionalDouble.empty(),
                        oneIn(8) ? OptionalDouble.of(value()) : OptionalDouble.empty(),
                        !oneIn(15));
        long appendedMs = shown / MICROS + delay();
        if (!oneIn(10)) {
            answer(decision, appendedMs);
        }
        if (oneIn(5)) { // asked for again
            long again = shown + pick(0, 1, 100, 300, decision.windowMs(), 2_500) * MICROS;
            Meaning.Decision second = decision.answeredAt(again);
            answer(
                    oneIn(2) ? second : second.withAction((decision.action() + 1) % 3),
                    again / MICROS + delay());
        }
        long endMs = (oneIn(2) ? appendedMs : shown / MICROS) + decision.windowMs();
        for (int rewards = random.nextInt(4); rewards > 0; rewards--) {
            reward(loop, event, shown, endMs * MICROS);
        }
        if (oneIn(decision.deferred() ? 2 : 8)) {
            long at = shown + grid(decision.windowMs()) * MICROS;
            feedback(new Meaning.Activation(loop, event, at), at);
        }
    }

    private double value() {
        return VALUES[random.nextInt(VALUES.length)];
    }

    /** Mostly less than watermarks allow. */
    private long delay() {
        return pick(0, 0, 0, 1, 50, 100, 250, 250, 600, -400, -1_500, oneIn(3) ? 31_000 : 10);
    }

    private void answer(Meaning.Decision decision, long appendedMs) {
        int partition = random.nextInt(partitions);
        append(appendedMs, Topic.IMPRESSIONS, partition, decision.event(), decision);
        long later = appendedMs + pick(0, 10, 300, decision.windowMs(), 2_500);
        if (oneIn(6)) {
            append(
                    later,
                    Topic.IMPRESSIONS,
                    oneIn(2) ? partition : random.nextInt(partitions),
                    decision.event(),
                    decision);
        }
        if (oneIn(8)) {
            append(
                    later,
                    Topic.IMPRESSIONS,
                    partition,
                    decision.event(),
                    new Meaning.Retraction(decision.loop(), decision.event(), decision.at()));
        }
    }

    private void reward(String loop, String event, long shown, long end) {
        long waitMicros = Simulation.IMPRESSION_WAIT.toMillis() * MICROS;
        long at =
                switch (random.nextInt(6)) {
                    case 0 -> end + pick(0, 0, 1, -1, 999, 1_000);
                    case 1 -> shown - waitMicros + pick(0, 0, 1, -1, 200_000);
                    case 2 -> end + grid(500) * MICROS;
                    default -> shown + grid((end - shown) / MICROS) * MICROS;
                };
        Meaning.Reward reward =
                new Meaning.Reward(
                        loop,
                        event,
                        "r" + random.nextInt(3),
                        oneIn(4) ? RewardMetric.GUARDRAIL : RewardMetric.REWARD,
                        Math.max(0, at),
                        value());
        feedback(reward, reward.at());
        if (oneIn(6)) {
            feedback(reward, reward.at() + grid(1_500) * MICROS);
        }
    }

    private void feedback(Meaning meaning, long at) {
        append(
                at / MICROS + pick(0, 0, 1, 100, 250, 290, 900),
                Topic.REWARDS,
                random.nextInt(partitions),
                meaning.event(),
                meaning);
    }

    /** More decisions than the join closes at once. */
    private void closeTogether() {
        long shown = grid(lengthMs) * MICROS;
        for (int i = 0; i < 100; i++) {
            append(
                    shown / MICROS,
                    Topic.IMPRESSIONS,
                    random.nextInt(partitions),
                    "t" + i,
                    new Meaning.Decision(
                            "loop0",
                            "t" + i,
                            shown,
                            i % LoopEvents.ACTIONS,
                            0,
                            500,
                            false,
                            0.0,
                            0.0,
                            RewardAggregation.FIRST,
                            OptionalDouble.empty(),
                            OptionalDouble.empty(),
                            true));
        }
    }

    private void heartbeats() {
        long every = pick(200, 500, 1_000, 100_000);
        for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
            for (int partition = 0; partition < partitions; partition++) {
                for (long ms = 0; ms < lengthMs + 4_000; ms += every) {
                    if (!oneIn(3)) {
                        heartbeat(topic, partition, ms);
                    }
                }
            }
        }
    }

    private void heartbeat(Topic topic, int partition, long ms) {
        append(ms, topic, partition, "", new Meaning.Heartbeat(ms * MICROS));
    }

    private List<Sent> records() {
        appends.sort(Comparator.comparingLong(Append::ms).thenComparingInt(Append::number));
        Map<String, Long> offsets = new HashMap<>();
        List<Sent> records = new ArrayList<>();
        for (Append it : appends) {
            long offset = offsets.merge(it.topic() + "-" + it.partition(), 1L, Long::sum) - 1;
            records.add(
                    new Sent(
                            it.topic(),
                            it.partition(),
                            offset,
                            it.ms(),
                            it.meaning(),
                            it.key().getBytes(StandardCharsets.UTF_8),
                            Encoding.value(it.meaning())));
        }
        return records;
    }
}
