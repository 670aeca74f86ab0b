package io.counterflow.serving.overview;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.serving.ServingFixture;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.pipeline.JobCounts;
import io.counterflow.serving.pipeline.LoopFlows;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.stats.WindowStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class LoopOverviewIT {

    private final Vertx vertx = Vertx.vertx();
    private final PolicyStoreFixture policies = new PolicyStoreFixture();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger diagnosed = new AtomicInteger();
    private final LoopOverview overview =
            new LoopOverview(
                    vertx,
                    policies.store(),
                    new LoopPipelines(
                            new LoopFlows(Clock.systemUTC()),
                            new JobCounts(),
                            this::job,
                            Clock.systemUTC()),
                    new WindowStore(),
                    nanos::get);

    private JobState job() {
        diagnosed.incrementAndGet();
        return new JobState(
                false, Optional.empty(), Optional.empty(), 0, Duration.ZERO, Duration.ofMinutes(5));
    }

    @AfterEach
    void close() throws Exception {
        await(vertx.close());
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void theRowsOfAllCallersAreComputedOnceInAWhile() throws Exception {
        policies.spec(PolicyStoreFixture.spec(1, ServingFixture.SPEC)).served();
        Future<List<LoopRow>> first = overview.rows();
        assertThat(overview.rows()).as("while it is computed").isSameAs(first);
        assertThat(await(first)).extracting(LoopRow::loop).containsExactly("home");
        nanos.set(LoopOverview.MAX_AGE.toNanos() - 1);
        assertThat(overview.rows()).isSameAs(first);
        assertThat(diagnosed).hasValue(1);
        nanos.set(LoopOverview.MAX_AGE.toNanos());
        policies.spec(PolicyStoreFixture.spec("more", 1, ServingFixture.SPEC)).served();
        assertThat(await(overview.rows())).hasSize(2);
        assertThat(diagnosed).hasValue(3);
    }
}
