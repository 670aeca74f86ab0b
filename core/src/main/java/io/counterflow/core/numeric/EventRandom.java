package io.counterflow.core.numeric;

import java.nio.charset.StandardCharsets;

/**
 * The random numbers of one event, which are a function of the loop and the event id.
 *
 * <p>The generator is SplitMix64 (Steele, Lea, Flood 2014). Its state starts at the 64-bit FNV-1a
 * hash of the purpose ("action", "canary" or "holdout"), the loop and the event id, in UTF-8 with a
 * byte 0xFF between them, and every draw adds 0x9E3779B97F4A7C15 to the state and mixes it.
 * Logarithms and cosines are those of {@code StrictMath}, so all draws have the same bits on every
 * machine.
 */
public final class EventRandom {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final long SEPARATOR = 0xff;
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    /** Starts at a given state. */
    public EventRandom(long seed) {
        this.state = seed;
    }

    /**
     * The random numbers for the action of an event. They are independent between loops, even for
     * the same event id.
     */
    public static EventRandom ofAction(String loop, String eventId) {
        return new EventRandom(hash("action", loop, eventId));
    }

    /**
     * The random numbers that tell whether a canary decides an event. They are independent of those
     * for the action, so that the canary does not get a biased set of actions.
     */
    public static EventRandom ofCanary(String loop, String eventId) {
        return new EventRandom(hash("canary", loop, eventId));
    }

    /**
     * The random numbers that tell whether an event is in the holdout. They are independent of
     * those for the action and the canary, so that both groups are samples of the same events.
     */
    public static EventRandom ofHoldout(String loop, String eventId) {
        return new EventRandom(hash("holdout", loop, eventId));
    }

    /** The random numbers of a name, for simulations. */
    public static EventRandom named(String name) {
        return new EventRandom(hash(name));
    }

    /** FNV-1a of the parts, separated by a byte that does not occur in UTF-8. */
    private static long hash(String... parts) {
        long hash = FNV_OFFSET;
        for (int part = 0; part < parts.length; part++) {
            if (part > 0) {
                hash = (hash ^ SEPARATOR) * FNV_PRIME;
            }
            for (byte b : parts[part].getBytes(StandardCharsets.UTF_8)) {
                hash = (hash ^ (b & 0xff)) * FNV_PRIME;
            }
        }
        return hash;
    }

    /** The next 64 random bits. */
    public long nextLong() {
        state += GOLDEN_GAMMA;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Uniform in [0, 1): 53 random bits. */
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1p-53;
    }

    /** Uniform in {0, …, bound − 1}, without bias. */
    public int nextInt(int bound) {
        Require.atLeast(1, bound, "bound");
        // Uses whole multiples of the bound only and draws again otherwise.
        while (true) {
            long bits = nextLong() >>> 1;
            long value = bits % bound;
            if (bits - value + (bound - 1) >= 0) {
                return (int) value;
            }
        }
    }

    /**
     * Standard normal, by Box and Muller; each takes two uniform draws; the second normal is
     * discarded.
     */
    public double nextGaussian() {
        double radius = StrictMath.sqrt(-2.0 * StrictMath.log(nextOpenDouble()));
        return radius * StrictMath.cos(2.0 * Math.PI * nextDouble());
    }

    /** Standard Gumbel: −ln(−ln u). */
    public double nextGumbel() {
        return -StrictMath.log(-StrictMath.log(nextOpenDouble()));
    }

    /** Uniform in (0, 1) without the ends, so that its logarithms are finite and not zero. */
    private double nextOpenDouble() {
        return ((nextLong() >>> 12) + 0.5) * 0x1p-52;
    }
}
