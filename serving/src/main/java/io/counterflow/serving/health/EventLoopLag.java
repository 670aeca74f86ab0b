package io.counterflow.serving.health;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Measures by how much timers of each event loop are late. A lag means that something blocks the
 * event loop, and every request on it waits that long.
 */
public final class EventLoopLag {

    private static final Duration INTERVAL = Duration.ofMillis(100);

    private EventLoopLag() {}

    /**
     * Starts to measure.
     *
     * @param eventLoops number of event loops
     */
    public static Future<?> measure(Vertx vertx, int eventLoops, MeterRegistry registry) {
        Timer lag =
                Timer.builder("counterflow.event.loop.lag")
                        .description("Delay of timers on the event loops.")
                        .serviceLevelObjectives(
                                Duration.ofMillis(1),
                                Duration.ofMillis(5),
                                Duration.ofMillis(20),
                                Duration.ofMillis(100),
                                Duration.ofMillis(500),
                                Duration.ofSeconds(2))
                        .register(registry);
        // Vert.x assigns the instances to the event loops in turn.
        return vertx.deployVerticle(
                () -> new Probe(lag), new DeploymentOptions().setInstances(eventLoops));
    }

    private static final class Probe extends VerticleBase {

        private final Timer lag;

        Probe(Timer lag) {
            this.lag = lag;
        }

        @Override
        public Future<?> start() {
            schedule();
            return Future.succeededFuture();
        }

        private void schedule() {
            long due = System.nanoTime() + INTERVAL.toNanos();
            vertx.setTimer( // cancelled by Vert.x with the verticle
                    INTERVAL.toMillis(),
                    ignored -> {
                        lag.record(Math.max(0, System.nanoTime() - due), TimeUnit.NANOSECONDS);
                        schedule();
                    });
        }
    }
}
