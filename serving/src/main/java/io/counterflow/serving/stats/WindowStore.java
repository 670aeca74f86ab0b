package io.counterflow.serving.stats;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The newest windows of every loop. Safe for use by several threads. */
public final class WindowStore {

    /** Windows per loop: two hours of windows that start every minute. */
    static final int MAX_WINDOWS = 120;

    private static final Duration HISTORY = Duration.ofHours(2);

    private final Map<String, Deque<IpsWindowRecord>> windows = new HashMap<>();
    private final CopyOnWriteArrayList<Consumer<IpsWindowRecord>> listeners =
            new CopyOnWriteArrayList<>();

    /**
     * Follows the topic of windows, from two hours ago.
     *
     * @param log receives a message about each failure
     */
    public TopicFollower follow(
            KafkaConfig kafka, Topics topics, Clock clock, Consumer<String> log) {
        List<String> names = topics.names(List.of(Topic.IPS_STATS));
        WireCodec<IpsWindowRecord> codec = WireCodec.of(IpsWindowRecord.class);
        AtomicBoolean first = new AtomicBoolean(true);
        return TopicFollower.start(
                TopicFollower.Source.of("follow-windows", kafka),
                reader -> {
                    Duration back = first.get() ? HISTORY : Duration.ZERO;
                    reader.addSince(names, clock.millis() - back.toMillis(), Long.MAX_VALUE);
                    first.set(false);
                    while (reader.isActive()) {
                        reader.poll().forEach(record -> take(record.value(), codec, log));
                    }
                },
                log);
    }

    private void take(byte[] value, WireCodec<IpsWindowRecord> codec, Consumer<String> log) {
        if (value == null || !codec.accepts(value)) {
            return;
        }
        try {
            take(codec.decode(value));
        } catch (UndecodableRecordException e) {
            log.accept("cannot decode a window: " + e.getMessage());
        }
    }

    /** Adds a window, and removes the oldest one if the loop has too many. */
    public void take(IpsWindowRecord window) {
        synchronized (windows) {
            Deque<IpsWindowRecord> known =
                    windows.computeIfAbsent(window.getLoop(), loop -> new ArrayDeque<>());
            known.addLast(window);
            if (known.size() > MAX_WINDOWS) {
                known.removeFirst();
            }
        }
        listeners.forEach(listener -> listener.accept(window));
    }

    /** The windows of a loop, the newest last. */
    public List<IpsWindowRecord> of(String loop) {
        synchronized (windows) {
            Deque<IpsWindowRecord> known = windows.get(loop);
            return known == null ? List.of() : List.copyOf(known);
        }
    }

    /** Calls the listener for each new window, on the thread that adds it. */
    public void onWindow(Consumer<IpsWindowRecord> listener) {
        listeners.add(listener);
    }

    public void removeListener(Consumer<IpsWindowRecord> listener) {
        listeners.remove(listener);
    }
}
