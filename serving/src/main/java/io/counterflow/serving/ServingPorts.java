package io.counterflow.serving;

import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.http.CertificateChain;
import io.counterflow.serving.http.Connections;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.PemFiles;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Opens the ports of the API and of management. */
final class ServingPorts {

    private final Vertx vertx;
    private final ServingConfig config;
    private final HttpServerOptions api;
    private final Connections connections;
    private volatile Optional<PemKeyCertOptions> certificate;

    /** Reads the certificate, if there is one. */
    ServingPorts(Vertx vertx, ServingConfig config) {
        this.vertx = vertx;
        this.config = config;
        this.api = options(config.api());
        this.connections = new Connections(config.limits());
        this.certificate = readCertificate();
        certificate.ifPresent(it -> api.setSsl(true).setKeyCertOptions(it));
    }

    private Optional<PemKeyCertOptions> readCertificate() {
        return config.tls().map(tls -> PemFiles.read(vertx, tls.certificate(), tls.key()));
    }

    /**
     * Reads certificate and key again. If they have changed and can be used, new connections get
     * them.
     *
     * @return whether they have changed
     */
    Future<Boolean> refreshCertificate(HttpPort port) {
        return vertx.executeBlocking(this::readCertificate, false)
                .compose(
                        read ->
                                read.equals(certificate)
                                        ? Future.succeededFuture(false)
                                        : port.useCertificate(read.orElseThrow())
                                                .map(
                                                        used -> {
                                                            certificate = read;
                                                            return true;
                                                        }));
    }

    /** The connections of the API. */
    Connections connections() {
        return connections;
    }

    /** When the certificate in use expires; empty without TLS. */
    Optional<Instant> certificateExpiry() {
        return certificate.map(it -> CertificateChain.expiry(it.getCertValue()));
    }

    /** The port of the API, with TLS if there is a certificate. */
    Future<HttpPort> openApi(HttpFront front) {
        return HttpPort.open(vertx, api, connections, config.threads(), config.stopTimeout(), front)
                .recover(e -> refused("serving.port", config.api(), e));
    }

    /** The port of health and metrics, without TLS. */
    Future<HttpPort> openManagement(HttpFront front) {
        return HttpPort.open(
                        vertx,
                        options(config.management()),
                        new Connections(config.limits()),
                        1,
                        Duration.ZERO,
                        front)
                .recover(e -> refused("serving.management.port", config.management(), e));
    }

    private static Future<HttpPort> refused(
            String option, ServingConfig.Address address, Throwable reason) {
        return Future.failedFuture(
                new IllegalStateException(
                        "%s %d cannot be opened on %s: %s"
                                .formatted(
                                        option,
                                        address.port(),
                                        address.host(),
                                        reason.getMessage()),
                        reason));
    }

    private HttpServerOptions options(ServingConfig.Address address) {
        return new HttpServerOptions()
                .setHost(address.host())
                .setPort(address.port())
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(millis(config.limits().idleTimeout()))
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(millis(config.limits().headTimeout()))
                // Many requests on one connection would share one of its clients' connections.
                .setHttp2ClearTextEnabled(false)
                .setUseAlpn(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setTcpNoDelay(true);
    }

    private static int millis(Duration time) {
        return (int) Math.min(Integer.MAX_VALUE, time.toMillis());
    }
}
