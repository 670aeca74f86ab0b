package io.counterflow.cli.traffic;

import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The demo's simulated users, for a deployment that runs elsewhere. */
public final class Traffic {

    /** Visits that one millisecond has numbers for: more than ever come. */
    private static final long NUMBERS_PER_MS = 1_000;

    private static final Duration TOLD_EVERY = Duration.ofSeconds(10);

    private final TrafficSettings settings;
    private final World world;
    private final ServingClient client;
    private final Consumer<String> tell;

    /**
     * @param tell takes what is going on, in words
     */
    public Traffic(TrafficSettings settings, Consumer<String> tell) {
        this.settings = settings;
        this.world = new NewsWorld(settings.seed(), settings.loop());
        this.client = new ServingClient(settings.server(), settings.loop(), settings.token());
        this.tell = tell;
    }

    /** Creates the loop that users come to. A loop that is like this already stays as it is. */
    public void createLoop() throws IOException, InterruptedException {
        client.putSpec(new LoopSpecJson(JsonLimits.defaults()).write(world.spec()));
    }

    /**
     * Users come.
     *
     * @param atMost for how long; empty for as long as nobody stops it
     * @param clock says which numbers no earlier run has given to its visits
     */
    public TrafficReport come(Optional<Duration> atMost, StopSignal stop, Clock clock)
            throws InterruptedException {
        AtomicLong numbers = new AtomicLong(clock.millis() * NUMBERS_PER_MS);
        AtomicReference<@Nullable String> failure = new AtomicReference<>();
        SimulatedUsers users =
                new SimulatedUsers(
                        world,
                        client,
                        numbers::incrementAndGet,
                        settings.seed(),
                        settings.perSecond());
        long startNs = System.nanoTime();
        long endNs = startNs + atMost.orElse(Duration.ofDays(36_500)).toNanos();
        users.start(reason -> failure.compareAndSet(null, reason));
        boolean over = false;
        while (!over && failure.get() == null && System.nanoTime() - endNs < 0) {
            Duration left = Duration.ofNanos(endNs - System.nanoTime());
            over = stop.await(left.compareTo(TOLD_EVERY) < 0 ? left : TOLD_EVERY);
            SimulatedUsers.Counts counts = users.counts();
            tell.accept(
                    "%,d visits, %,d rewards, %,d failures"
                            .formatted(counts.events(), counts.rewards(), counts.failures()));
        }
        users.stop();
        String reason = failure.get();
        if (reason != null) {
            throw new IllegalStateException(reason);
        }
        return TrafficReport.of(settings.loop(), users.counts(), System.nanoTime() - startNs);
    }
}
