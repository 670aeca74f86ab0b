package io.counterflow.serving.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class EventLoopLagIT {

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @AfterEach
    void close() throws Exception {
        await(vertx.close());
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aBlockedEventLoopIsSeenAsLag() throws Exception {
        await(EventLoopLag.measure(vertx, 1, registry));
        Timer lag = registry.get("counterflow.event.loop.lag").timer();
        await(() -> lag.count() >= 2);
        CountDownLatch released = new CountDownLatch(1);
        vertx.runOnContext(
                ignored -> {
                    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(700);
                    await(() -> System.nanoTime() >= end);
                    released.countDown();
                });
        assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
        long before = lag.count();
        await(() -> lag.count() > before || lag.max(TimeUnit.MILLISECONDS) >= 500);
        assertThat(lag.max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(500);
    }
}
