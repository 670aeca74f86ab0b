package io.counterflow.serving.stats;

import io.counterflow.schemas.record.IpsWindowRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The newest windows of every loop. Safe for use by several threads. */
public final class WindowStore {

    /** Windows per loop: two hours of those that begin every minute. */
    static final int MAX_WINDOWS = 120;

    private final Map<String, Deque<IpsWindowRecord>> windows = new HashMap<>();
    private final CopyOnWriteArrayList<Consumer<IpsWindowRecord>> listeners =
            new CopyOnWriteArrayList<>();

    /** Takes a window; the oldest one goes when there are too many. */
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

    /** Tells every window that arrives from now on, on the thread that brings it. */
    public void onWindow(Consumer<IpsWindowRecord> listener) {
        listeners.add(listener);
    }

    /** No more telling. */
    public void removeListener(Consumer<IpsWindowRecord> listener) {
        listeners.remove(listener);
    }
}
