package io.counterflow.serving.http;

import io.counterflow.client.rank.RandomIds;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks requests (path, token, rate, size), passes them to their endpoint, and sends its reply.
 * Safe for use by several threads.
 */
public final class HttpFront {

    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String REQUEST_ID_HEADER = "x-request-id";
    private static final String NO_ROUTE = "none";

    /** Browsers may show answers, but nothing else. */
    private static final Map<CharSequence, CharSequence> SECURITY_HEADERS =
            optimized(
                    Map.of(
                            "x-content-type-options", "nosniff",
                            "cache-control", "no-store",
                            "referrer-policy", "no-referrer",
                            "x-frame-options", "DENY",
                            // The dashboard loads its own scripts and styles, and calls this server
                            // only.
                            "content-security-policy",
                                    "default-src 'none'; script-src 'self'; style-src 'self';"
                                            + " img-src 'self' data:; connect-src 'self';"
                                            + " base-uri 'none'; form-action 'none';"
                                            + " frame-ancestors 'none'"));

    private static Map<CharSequence, CharSequence> optimized(Map<String, String> headers) {
        Map<CharSequence, CharSequence> optimized = new HashMap<>();
        headers.forEach(
                (name, value) ->
                        optimized.put(
                                HttpHeaders.createOptimized(name),
                                HttpHeaders.createOptimized(value)));
        return optimized;
    }

    private final RequestWorkers workers;
    private final BooleanSupplier ready;
    private volatile Routes routes;
    private final Authorization authorization;
    private final HttpLimits limits;
    private final RateLimit rate;
    private final BodyMemory bodies;
    private final RequestWatch watch;
    private final RunningRequests running;

    /**
     * @param workers parse large bodies
     * @param ready whether calls that need a scope can be answered
     */
    public HttpFront(
            RequestWorkers workers,
            BooleanSupplier ready,
            Routes routes,
            Authorization authorization,
            HttpLimits limits,
            RequestWatch watch) {
        this.workers = workers;
        this.ready = ready;
        this.routes = routes;
        this.authorization = authorization;
        this.limits = limits;
        this.rate = new RateLimit(limits.requestsPerSecond());
        this.bodies = new BodyMemory(limits.largeBodiesBytes());
        this.watch = watch;
        this.running = new RunningRequests(limits.requests());
    }

    void handle(HttpServerRequest request, OpenConnection connection, EventLoopTasks tasks) {
        Exchange exchange = new Exchange(request, connection, tasks);
        try {
            exchange.requireHead();
            Routes.Match match = routes.match(request.method(), request.path());
            Endpoint endpoint = match.endpoint();
            exchange.route = endpoint.template();
            exchange.isPage = endpoint.scope().isEmpty();
            Caller caller = authorization.require(request, endpoint.scope(), match.loop());
            String client = caller.equals(Caller.anyone()) ? connection.address() : caller.name();
            requireRate(client);
            requireReady(endpoint);
            exchange.body
                    .read(client, exchange.isPage ? 0 : limits.maxBodyBytes())
                    .onSuccess(body -> exchange.call(match, caller, client, body))
                    .onFailure(exchange::fail);
        } catch (RuntimeException e) {
            exchange.fail(e);
        }
    }

    /** Uses other routes for the requests that follow. */
    public void use(Routes newRoutes) {
        routes = newRoutes;
    }

    /** Until all loops have been read, an unknown loop may exist. */
    private void requireReady(Endpoint endpoint) {
        if (endpoint.scope().isPresent() && !ready.getAsBoolean()) {
            throw new ProblemException(
                    503,
                    "not-ready",
                    "the policies are still being loaded; send the request again");
        }
    }

    private void requireRate(String client) {
        if (!rate.allows(client, System.nanoTime())) {
            throw new ProblemException(
                    429,
                    "too-many-requests",
                    "at most %d requests per second are served"
                            .formatted(limits.requestsPerSecond()));
        }
    }

    /** One request until it is answered. */
    private final class Exchange {

        private final HttpServerRequest request;
        private final OpenConnection connection;
        private final EventLoopTasks tasks;
        private final BodyReader body;
        private final Context context = Objects.requireNonNull(Vertx.currentContext());
        private final long startNanos = System.nanoTime();
        private boolean isPage;
        private final String requestId;
        private final Optional<TraceParent> trace;
        private String route = NO_ROUTE;
        private Optional<Scope> admitted = Optional.empty();

        Exchange(HttpServerRequest request, OpenConnection connection, EventLoopTasks tasks) {
            this.request = request;
            this.connection = connection;
            this.tasks = tasks;
            this.body = new BodyReader(request, connection, bodies);
            connection.begin();
            String given = request.getHeader(REQUEST_ID_HEADER);
            requestId =
                    given != null && REQUEST_ID.matcher(given).matches() ? given : RandomIds.next();
            trace = TraceParent.read(request.headers().getAll(TraceParent.HEADER));
        }

        private void requireHead() {
            try {
                RequestHead.require(request);
            } catch (IllegalArgumentException e) {
                connection.closeSoon();
                throw e;
            }
        }

        void call(Routes.Match match, Caller caller, String client, Buffer content) {
            Future<Reply> reply;
            try {
                Optional<Scope> scope = match.endpoint().scope();
                running.admit(scope);
                admitted = scope;
                Call call =
                        new Call(
                                match.path(),
                                query(),
                                content,
                                caller,
                                client,
                                requestId,
                                Conditions.of(request));
                reply =
                        content.length() > HttpLimits.LARGE_BODY
                                ? workers.run(() -> match.endpoint().handler().handle(call))
                                        .compose(handled -> handled)
                                : match.endpoint().handler().handle(call);
            } catch (RuntimeException e) {
                fail(e);
                return;
            }
            reply.onComplete(
                    done -> {
                        if (Vertx.currentContext() == context) {
                            complete(done.result(), done.cause());
                        } else { // on a thread of Kafka or of a worker
                            tasks.add(() -> complete(done.result(), done.cause()));
                        }
                    });
        }

        private Map<String, String> query() {
            if (request.query() == null) {
                return Map.of();
            }
            Map<String, String> query = new HashMap<>();
            request.params().forEach(entry -> query.putIfAbsent(entry.getKey(), entry.getValue()));
            return query;
        }

        private void complete(@Nullable Reply reply, @Nullable Throwable failure) {
            if (failure == null) {
                send(Objects.requireNonNull(reply), null);
            } else {
                fail(failure);
            }
        }

        void fail(Throwable failure) {
            if (failure instanceof ProblemException refused) {
                Reply reply = reply(refused);
                Object allow = refused.extensions().get("allow");
                send(allow == null ? reply : reply.with("allow", allow.toString()), null);
            } else if (failure instanceof IllegalArgumentException wrong) {
                send(
                        reply(
                                new ProblemException(
                                        400, "bad-request", String.valueOf(wrong.getMessage()))),
                        null);
            } else { // a defect; its message may quote user data
                send(
                        reply(
                                new ProblemException(
                                        500, "internal-error", "the server failed; see its log")),
                        failure);
            }
        }

        private Reply reply(ProblemException problem) {
            return PersonalizerErrors.apply(request.path())
                    ? PersonalizerErrors.reply(problem)
                    : problem.reply(requestId);
        }

        /** Whether the caller already has this page. The tag of a loop is that of its spec only. */
        private boolean isKnown(Reply reply) {
            String tag = isPage ? reply.headers().get("etag") : null;
            return tag != null && tag.equals(request.getHeader("if-none-match"));
        }

        private void send(Reply reply, @Nullable Throwable failure) {
            watch.answered(
                    route,
                    reply.status(),
                    System.nanoTime() - startNanos,
                    new RequestIds(requestId, trace),
                    failure);
            body.release();
            running.release(admitted);
            admitted = Optional.empty();
            HttpServerResponse response = request.response();
            if (response.closed() || response.ended()) {
                reply.undelivered().run(); // the caller has disconnected
                return;
            }
            boolean known = isKnown(reply);
            response.setStatusCode(known ? 304 : reply.status());
            SECURITY_HEADERS.forEach(response::putHeader);
            response.putHeader(REQUEST_ID_HEADER, requestId);
            trace.ifPresent(it -> response.putHeader(TraceParent.HEADER, it.text()));
            reply.headers().forEach(response::putHeader);
            if (reply.status() == 401) {
                response.putHeader("www-authenticate", "Bearer");
            }
            boolean hasMore = body.skip();
            if (hasMore || connection.isClosing()) {
                response.putHeader("connection", "close");
            }
            if (reply.stream().isEmpty()) { // a stream ends with its connection
                connection.answered();
            }
            if (known) {
                var unused = response.end();
                return;
            }
            if (!reply.contentType().isEmpty()) {
                response.putHeader("content-type", reply.contentType());
            }
            if (reply.stream().isPresent()) {
                reply.stream().get().accept(response);
            } else {
                var unused =
                        response.end(reply.body())
                                .onFailure(disconnected -> reply.undelivered().run());
            }
        }
    }
}
