package io.counterflow.serving.http;

import java.util.HashMap;
import java.util.Map;

/** Counts what each client holds, and refuses more than the limits. Thread-safe. */
public final class ClientShares {

    private final ClientLimits limits;
    private final Map<String, Integer> held = new HashMap<>();
    private int total;
    private long refused;

    public ClientShares(ClientLimits limits) {
        this.limits = limits;
    }

    public ClientLimits limits() {
        return limits;
    }

    /** Gives one more to a client; false if it would exceed a limit. */
    public synchronized boolean take(String client) {
        int own = held.getOrDefault(client, 0);
        if (total >= limits.total() || own >= limits.perClient()) {
            refused++;
            return false;
        }
        held.put(client, own + 1);
        total++;
        return true;
    }

    /** Takes one back that was given to the client. */
    public synchronized void release(String client) {
        held.computeIfPresent(client, (name, own) -> own == 1 ? null : own - 1);
        total--;
    }

    public synchronized int total() {
        return total;
    }

    /** How often {@link #take} has refused. */
    public synchronized long refused() {
        return refused;
    }
}
