package io.counterflow.serving.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** The connections of a port. Closes those that are too many or too slow. Thread-safe. */
public final class Connections {

    private static final long CHECK_INTERVAL_MS = 250;

    private final HttpLimits limits;
    private final ClientShares shares;
    private final LongAdder timedOut = new LongAdder();

    public Connections(HttpLimits limits) {
        this.limits = limits;
        this.shares = new ClientShares(limits.connections());
    }

    /** The number of open connections. */
    public int open() {
        return shares.total();
    }

    /** Connections that were closed at once, because there were too many. */
    public long refused() {
        return shares.refused();
    }

    /** Connections that were closed because no request, or no body, arrived in time. */
    public long timedOut() {
        return timedOut.sum();
    }

    /** The connections of one event loop, which alone uses it. */
    final class OfEventLoop {

        private final Map<HttpConnection, OpenConnection> open = new HashMap<>();

        OfEventLoop(Vertx vertx) {
            vertx.setPeriodic(CHECK_INTERVAL_MS, ignored -> closeLate());
        }

        void accept(HttpConnection connection) {
            String client = ClientAddress.of(connection.remoteAddress());
            if (!shares.take(client)) {
                var unused = connection.close();
                return;
            }
            open.put(connection, new OpenConnection(connection, client, limits));
            connection.closeHandler(
                    ignored -> {
                        open.remove(connection);
                        shares.release(client);
                    });
        }

        /** Empty if no request is read from it any more. */
        Optional<OpenConnection> of(HttpConnection connection) {
            return Optional.ofNullable(open.get(connection)).filter(it -> !it.isClosing());
        }

        private void closeLate() {
            long now = System.nanoTime();
            for (OpenConnection connection : open.values().toArray(OpenConnection[]::new)) {
                if (connection.closeIfLate(now)) {
                    timedOut.increment();
                }
            }
        }
    }
}
