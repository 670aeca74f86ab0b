package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class EventLoopTasksIT {

    private static final int TASKS = 1_000;

    private final Vertx vertx = Vertx.vertx();
    private final List<Integer> run = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void tasksRunInOrderAndAllOfThem() throws Exception {
        EventLoopTasks tasks = new EventLoopTasks(vertx.getOrCreateContext());
        CountDownLatch last = new CountDownLatch(TASKS);
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            tasks.add(
                    () -> {
                        run.add(number);
                        last.countDown();
                    });
        }
        assertThat(last.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(run).isSorted().hasSize(TASKS);
    }

    @Test
    void aTaskThatFailsDoesNotStopTheNext() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch next = new CountDownLatch(1);
        var context = vertx.getOrCreateContext();
        context.exceptionHandler(e -> run.add(-1));
        EventLoopTasks tasks = new EventLoopTasks(context);
        tasks.add(() -> awaitQuietly(blocked)); // so that the next two arrive before it ends
        tasks.add(
                () -> {
                    throw new IllegalStateException("expected by the test");
                });
        tasks.add(next::countDown);
        blocked.countDown();
        assertThat(next.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(run).containsExactly(-1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
