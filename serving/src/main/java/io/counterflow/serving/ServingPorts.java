package io.counterflow.serving;

import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.time.Duration;

/** Opens the two ports as the configuration wants them. */
final class ServingPorts {

    private final Vertx vertx;
    private final ServingConfig config;

    ServingPorts(Vertx vertx, ServingConfig config) {
        this.vertx = vertx;
        this.config = config;
    }

    /** The port of the API, behind TLS where there is a certificate. */
    Future<HttpPort> openApi(HttpFront front) {
        HttpServerOptions options = options(config.api());
        config.tls()
                .ifPresent(
                        tls ->
                                options.setSsl(true)
                                        .setKeyCertOptions(
                                                new PemKeyCertOptions()
                                                        .setCertPath(tls.certificate().toString())
                                                        .setKeyPath(tls.key().toString())));
        return HttpPort.open(vertx, options, config.threads(), config.stopTimeout(), front);
    }

    /** The port of health and metrics: plain, for who runs the process. */
    Future<HttpPort> openManagement(HttpFront front) {
        return HttpPort.open(vertx, options(config.management()), 1, Duration.ZERO, front);
    }

    private HttpServerOptions options(ServingConfig.Address address) {
        return new HttpServerOptions()
                .setHost(address.host())
                .setPort(address.port())
                .setIdleTimeout((int) Math.max(1, config.idleTimeout().toSeconds()))
                .setTcpNoDelay(true);
    }
}
