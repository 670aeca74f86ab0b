package io.counterflow.serving.health;

import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;

/** {@code GET /metrics}: all that is counted, in the form of Prometheus. */
public final class MetricsEndpoint implements Endpoint {

    private static final Route ROUTE = Route.open("/metrics");
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry;

    public MetricsEndpoint(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return Future.succeededFuture(Reply.text(200, CONTENT_TYPE, registry.scrape()));
    }
}
