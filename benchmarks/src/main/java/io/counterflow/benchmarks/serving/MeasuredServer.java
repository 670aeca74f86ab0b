package io.counterflow.benchmarks.serving;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.http.AllowedHosts;
import io.counterflow.serving.http.Authorization;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Connections;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpLimits;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.http.Routes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/**
 * Starts serving with its broker, and a second HTTP server of the same kind that reads the whole
 * request and returns a constant response. Prints both ports and exits when its standard input is
 * closed.
 */
final class MeasuredServer {

    private static final int THREADS = 2;

    private MeasuredServer() {}

    /** Responds with the number of bytes in the path. */
    private static Future<Reply> bytes(Call call) {
        byte[] bytes = new byte[Integer.parseInt(call.path("size"))];
        java.util.Arrays.fill(bytes, (byte) ' ');
        return Future.succeededFuture(Reply.of(200, Reply.JSON, Buffer.buffer(bytes)));
    }

    public static void main(String[] args)
            throws IOException, InterruptedException, ExecutionException {
        Path directory = Path.of(args[0]);
        PrintStream errors = System.err;
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.start(directory.resolve("kafka"), EmbeddedKafka.FREE_PORT);
                ServingProcess serving =
                        ServingProcess.start(
                                ServingConfig.parse(
                                        """
                                        kafka.bootstrap-servers: %s
                                        serving.port: 0
                                        serving.management.port: 0
                                        serving.threads: %d
                                        serving.requests-per-second: 1000000
                                        """
                                                .formatted(kafka.bootstrapServers(), THREADS),
                                        Map.of()),
                                new ServingLog(errors, Clock.systemUTC()),
                                Clock.systemUTC())) {
            HttpPort constant = constant();
            while (!serving.ready()) {
                Thread.sleep(20);
            }
            System.out.printf("%d %d%n", serving.port(), constant.port());
            System.out.flush();
            var unused = System.in.readAllBytes(); // until the client closes it
        }
        System.exit(0); // because threads of the second server are still running
    }

    private static HttpPort constant() throws InterruptedException, ExecutionException {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(THREADS));
        HttpLimits limits = ServingConfig.parse("", Map.of()).limits();
        HttpFront front =
                new HttpFront(
                        new RequestWorkers(vertx, THREADS),
                        () -> true,
                        new Routes(
                                List.of(
                                        Endpoint.post(
                                                "/constant/{size}",
                                                Scope.RANK,
                                                MeasuredServer::bytes))),
                        new Authorization(Optional.empty(), AllowedHosts.any()),
                        limits,
                        (route, status, nanos, requestId, failure) -> {});
        HttpServerOptions options =
                new HttpServerOptions().setHost("127.0.0.1").setPort(0).setTcpNoDelay(true);
        return HttpPort.open(vertx, options, new Connections(limits), THREADS, Duration.ZERO, front)
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }
}
