package io.counterflow.benchmarks.serving;

import io.counterflow.benchmarks.process.ChildProcess;
import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.RequestMetrics;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.http.Authorization;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Connections;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.http.Routes;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A server to compare rank with, in a process of its own: the HTTP server of serving, with the same
 * configuration and another endpoint. It reads the whole body of a request, and answers with a
 * constant of the size of rank's answer. Prints its port.
 */
final class ReferenceServer {

    private static final int FREE_PORT = 0;

    /** When a request is answered. */
    enum Kind {
        /** At once. */
        CONSTANT,

        /**
         * When Kafka has a record, which is the impression that rank wrote for such a request. The
         * producer and the topic are of the same kind as those of serving. Rank can be at most as
         * fast as this.
         */
        CEILING;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private ReferenceServer() {}

    public static void main(String[] args)
            throws IOException, InterruptedException, ExecutionException {
        Kind kind = Kind.valueOf(args[0]);
        ServingConfig config =
                ServingConfig.parse(Server.config(args[1], FREE_PORT, FREE_PORT), Map.of());
        List<Endpoint> endpoints =
                endpoints(Recording.readAll(Path.of(args[2])), handler(kind, config));
        System.out.println(open(config, endpoints).port());
        ChildProcess.awaitClose();
        System.exit(0); // threads of the server are still running
    }

    private static List<Endpoint> endpoints(
            List<Recording> recordings, Function<Recording, Endpoint.Handler> handler) {
        return recordings.stream()
                .map(
                        recording ->
                                Endpoint.post(
                                        Server.rankPath(recording.loop()),
                                        Scope.RANK,
                                        handler.apply(recording)))
                .toList();
    }

    private static Function<Recording, Endpoint.Handler> handler(Kind kind, ServingConfig config) {
        if (kind == Kind.CONSTANT) {
            return recording -> {
                byte[] answer = recording.answer();
                return call -> Future.succeededFuture(reply(answer));
            };
        }
        Topics topics = new Topics(kind.label());
        try (TopicAdmin admin =
                TopicAdmin.connect(config.kafka(), topics, config.topicSettings())) {
            admin.ensure(List.of(Topic.IMPRESSIONS), true);
        }
        KafkaRecordProducer producer =
                KafkaRecordProducer.connect(
                        config.kafka(), topics, config.impressions(), List.of(Topic.IMPRESSIONS));
        return recording -> new Logging(producer, recording);
    }

    private static Reply reply(byte[] answer) {
        return Reply.of(200, Reply.JSON, Buffer.buffer(answer));
    }

    /** Answers when Kafka has the record. */
    private static final class Logging implements Endpoint.Handler {

        private final KafkaRecordProducer producer;
        private final byte[][] records;
        private final byte[] answer;

        Logging(KafkaRecordProducer producer, Recording recording) {
            this.producer = producer;
            this.records = recording.records().toArray(byte[][]::new);
            this.answer = recording.answer();
        }

        @Override
        public Future<Reply> handle(Call call) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            String key = new UUID(random.nextLong(), random.nextLong()).toString();
            byte[] record = records[random.nextInt(records.length)];
            return Future.fromCompletionStage(
                            producer.append(Topic.IMPRESSIONS, key, Instant.now(), record))
                    .map(done -> reply(answer));
        }
    }

    private static HttpPort open(ServingConfig config, List<Endpoint> endpoints)
            throws InterruptedException, ExecutionException {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(config.threads()));
        HttpFront front =
                new HttpFront(
                        new RequestWorkers(vertx, config.threads()),
                        () -> true,
                        new Routes(endpoints),
                        new Authorization(Optional.empty(), config.access().hosts()),
                        config.limits(),
                        new RequestMetrics(
                                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                                new ServingLog(System.err, Clock.systemUTC())));
        return HttpPort.open(
                        vertx,
                        options(config),
                        new Connections(config.limits()),
                        config.threads(),
                        config.stopTimeout(),
                        front)
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }

    /** The options that serving sets without TLS. */
    private static HttpServerOptions options(ServingConfig config) {
        return new HttpServerOptions()
                .setHost(config.api().host())
                .setPort(config.api().port())
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) config.limits().idleTimeout().toMillis())
                .setHttp2ClearTextEnabled(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setTcpNoDelay(true);
    }
}
