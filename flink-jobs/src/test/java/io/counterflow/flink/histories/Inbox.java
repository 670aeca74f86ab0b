package io.counterflow.flink.histories;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The input of a subtask as Flink gives it: a queue from each sender, in any interleaving. The
 * watermark is the smallest of all queues that are not idle. A queue that has delivered a barrier
 * is blocked until all have.
 */
final class Inbox {

    /** What a queue delivers. */
    sealed interface Element permits Item, Mark, Idle, Barrier, End {}

    record Item(Object value, long timestampMs) implements Element {}

    record Mark(long watermarkMs) implements Element {}

    record Idle() implements Element {}

    record Barrier(long checkpoint) implements Element {}

    record End(boolean drain) implements Element {}

    private static final class Queue {
        private final ArrayDeque<Element> elements = new ArrayDeque<>();
        private long watermarkMs = Long.MIN_VALUE;
        private boolean idle;
        private boolean blocked;
        private boolean ended;
    }

    private final List<Queue> queues = new ArrayList<>();
    private long watermarkMs = Long.MIN_VALUE;

    Inbox(int senders) {
        for (int i = 0; i < senders; i++) {
            queues.add(new Queue());
        }
    }

    void send(int sender, Element element) {
        queues.get(sender).elements.add(element);
    }

    boolean isReady() {
        return queues.stream().anyMatch(Inbox::isReady);
    }

    private static boolean isReady(Queue queue) {
        return !queue.blocked && !queue.elements.isEmpty();
    }

    /** What the operator sees of an inbox. */
    interface Receiver {
        void take(Item item) throws Exception;

        void watermark(long ms) throws Exception;

        void barrier(long checkpoint) throws Exception;

        void end(boolean drain) throws Exception;
    }

    /** Delivers the next element of a queue that is drawn. */
    void deliver(SplittableRandom random, Receiver to) throws Exception {
        List<Queue> ready = queues.stream().filter(Inbox::isReady).toList();
        Queue queue = ready.get(random.nextInt(ready.size()));
        Element element = queue.elements.remove();
        if (element instanceof Item item) {
            to.take(item);
        } else if (element instanceof Mark mark) {
            queue.idle = false;
            queue.watermarkMs = Math.max(queue.watermarkMs, mark.watermarkMs());
            advance(to);
        } else if (element instanceof Idle) {
            queue.idle = true;
            advance(to);
        } else if (element instanceof Barrier barrier) {
            queue.blocked = true;
            if (queues.stream().allMatch(it -> it.blocked)) {
                queues.forEach(it -> it.blocked = false);
                to.barrier(barrier.checkpoint());
            }
        } else if (element instanceof End end) {
            queue.ended = true;
            if (queues.stream().allMatch(it -> it.ended)) {
                to.end(end.drain());
            }
        }
    }

    private void advance(Receiver to) throws Exception {
        long smallest =
                queues.stream()
                        .filter(it -> !it.idle)
                        .mapToLong(it -> it.watermarkMs)
                        .min()
                        .orElse(Long.MIN_VALUE);
        if (smallest > watermarkMs) {
            watermarkMs = smallest;
            to.watermark(smallest);
        }
    }
}
