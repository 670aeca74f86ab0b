package io.counterflow.serving.http;

import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tasks that other threads have for an event loop. It is woken up once for all tasks that arrive
 * before it runs, because Kafka acknowledges many records at a time. Thread-safe.
 */
final class EventLoopTasks {

    private final Context context;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean awake = new AtomicBoolean();

    EventLoopTasks(Context context) {
        this.context = context;
    }

    void add(Runnable task) {
        tasks.add(task);
        wakeUp();
    }

    private void wakeUp() {
        if (awake.compareAndSet(false, true)) {
            context.runOnContext(ignored -> run());
        }
    }

    private void run() {
        awake.set(false); // a task that is added from now on wakes it up again
        try {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        } finally {
            if (!tasks.isEmpty()) { // a task failed
                wakeUp();
            }
        }
    }
}
