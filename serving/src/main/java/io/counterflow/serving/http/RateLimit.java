package io.counterflow.serving.http;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A token bucket for each client, which holds the requests of one second. The bucket of an unknown
 * client is full.
 */
final class RateLimit {

    /** Limit on clients; the least recently seen client is removed first. */
    private static final int MAX_CLIENTS = 10_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final double perSecond;
    private final Map<String, Bucket> buckets =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                    return size() > MAX_CLIENTS;
                }
            };

    private static final class Bucket {
        private double left;
        private long atNanos;
    }

    RateLimit(int perSecond) {
        this.perSecond = perSecond;
    }

    /** Takes a request from the client's bucket; false if it is empty. */
    boolean allows(String client, long nowNanos) {
        if (perSecond == 0.0) {
            return true;
        }
        synchronized (buckets) {
            Bucket bucket = buckets.get(client);
            if (bucket == null) {
                bucket = new Bucket();
                bucket.left = perSecond;
                bucket.atNanos = nowNanos;
                buckets.put(client, bucket);
            }
            double filled = (nowNanos - bucket.atNanos) / NANOS_PER_SECOND * perSecond;
            bucket.left = Math.min(perSecond, bucket.left + filled);
            bucket.atNanos = nowNanos;
            if (bucket.left < 1.0) {
                return false;
            }
            bucket.left -= 1.0;
            return true;
        }
    }
}
