package io.counterflow.serving.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An open port, which several event loops serve. */
public final class HttpPort {

    private static final AtomicInteger RANDOM_PORTS = new AtomicInteger();

    /** Refuses a request whose head is no HTTP, and closes its connection. */
    private static final Handler<HttpServerRequest> MALFORMED =
            HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER;

    private final Vertx vertx;
    private final String deployment;
    private final int port;
    private final HttpServer server;

    private HttpPort(Vertx vertx, HttpServer server, String deployment, int port) {
        this.vertx = vertx;
        this.server = server;
        this.deployment = deployment;
        this.port = port;
    }

    /**
     * Opens a port.
     *
     * @param options with host and port; 0 for a free port
     * @param connections counts the connections
     * @param stopTimeout time for running requests when the port is closed
     */
    public static Future<HttpPort> open(
            Vertx vertx,
            HttpServerOptions options,
            Connections connections,
            int threads,
            Duration stopTimeout,
            HttpFront front) {
        AtomicReference<HttpServer> bound = new AtomicReference<>();
        SocketAddress address = // with port 0, each event loop would get its own port
                options.getPort() == 0
                        ? SocketAddress.sharedRandomPort(
                                RANDOM_PORTS.incrementAndGet(), options.getHost())
                        : SocketAddress.inetSocketAddress(options.getPort(), options.getHost());
        return vertx.deployVerticle(
                        () -> new Server(options, address, connections, stopTimeout, front, bound),
                        new DeploymentOptions().setInstances(threads))
                .map(
                        deployment -> {
                            HttpServer server = Objects.requireNonNull(bound.get());
                            return new HttpPort(vertx, server, deployment, server.actualPort());
                        });
    }

    public int port() {
        return port;
    }

    /**
     * Uses another certificate for new connections. Versions of TLS are the defaults; the time
     * limit of handshakes stays the one of the start.
     */
    public Future<?> useCertificate(KeyCertOptions certificate) {
        return server.updateSSLOptions( // of all event loops
                new ServerSSLOptions().setKeyCertOptions(certificate));
    }

    /** Accepts no more connections, and waits for running requests. */
    public Future<Void> close() {
        return vertx.undeploy(deployment);
    }

    private static final class Server extends VerticleBase {

        private final HttpServerOptions options;
        private final SocketAddress address;
        private final Connections connections;
        private final Duration stopTimeout;
        private final HttpFront front;
        private final AtomicReference<HttpServer> bound;
        private @Nullable HttpServer server;

        Server(
                HttpServerOptions options,
                SocketAddress address,
                Connections connections,
                Duration stopTimeout,
                HttpFront front,
                AtomicReference<HttpServer> bound) {
            this.options = options;
            this.address = address;
            this.connections = connections;
            this.stopTimeout = stopTimeout;
            this.front = front;
            this.bound = bound;
        }

        @Override
        public Future<?> start() {
            Connections.OfEventLoop own = connections.new OfEventLoop(vertx);
            EventLoopTasks tasks = new EventLoopTasks(context);
            return vertx.createHttpServer(options)
                    .connectionHandler(own::accept)
                    .requestHandler(
                            request ->
                                    own.of(request.connection())
                                            .ifPresent(it -> front.handle(request, it, tasks)))
                    .invalidRequestHandler(
                            request ->
                                    own.of(request.connection())
                                            .ifPresent(it -> MALFORMED.handle(request)))
                    .listen(address)
                    .onSuccess(
                            listening -> {
                                server = listening;
                                bound.set(listening);
                            });
        }

        @Override
        public Future<?> stop() {
            return server == null
                    ? Future.succeededFuture()
                    : server.shutdown(stopTimeout.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
