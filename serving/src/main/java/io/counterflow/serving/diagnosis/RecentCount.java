package io.counterflow.serving.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Counts records of the last minutes, in slots of five seconds. Thread-safe. */
public final class RecentCount {

    /** The time that the count covers. */
    public static final Duration SPAN = Duration.ofMinutes(5);

    private static final long SLOT_MS = 5_000;
    private static final int SLOTS = (int) (SPAN.toMillis() / SLOT_MS) + 1;

    /** Complete slots for the rate. */
    private static final int RATE_SLOTS = 4;

    /** After a pause of this length, a new flow starts. */
    private static final long PAUSE_MS = 30_000;

    private final int[] counts = new int[SLOTS];
    private final long[] numbers = new long[SLOTS]; // numbers of the slots since 1970
    private long total;
    private long firstMs; // after the last pause
    private long lastMs = Long.MIN_VALUE;

    public synchronized void add(long timeMs) {
        long number = timeMs / SLOT_MS;
        int slot = (int) (number % SLOTS);
        if (numbers[slot] < number) {
            numbers[slot] = number;
            counts[slot] = 0;
        }
        if (numbers[slot] == number) { // otherwise it is too old
            counts[slot]++;
        }
        total++;
        if (lastMs == Long.MIN_VALUE || timeMs - lastMs > PAUSE_MS) {
            firstMs = timeMs;
        }
        lastMs = Math.max(lastMs, timeMs);
    }

    /** The number of all records. */
    public synchronized long total() {
        return total;
    }

    public synchronized FlowCount read(long nowMs) {
        if (lastMs == Long.MIN_VALUE) {
            return FlowCount.none();
        }
        long current = nowMs / SLOT_MS;
        long recent = 0;
        long forRate = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            long age = current - numbers[slot];
            if (age < SLOTS) {
                recent += counts[slot];
            }
            if (age >= 1 && age <= RATE_SLOTS) { // the current slot is incomplete
                forRate += counts[slot];
            }
        }
        long whole = current * SLOT_MS;
        double seconds =
                Math.min(RATE_SLOTS * SLOT_MS, Math.max(SLOT_MS, whole - firstMs)) / 1_000.0;
        return new FlowCount(
                recent,
                forRate / seconds,
                Optional.of(Instant.ofEpochMilli(lastMs)),
                Optional.of(Instant.ofEpochMilli(firstMs)));
    }
}
