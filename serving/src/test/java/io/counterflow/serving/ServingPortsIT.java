package io.counterflow.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.http.AllowedHosts;
import io.counterflow.serving.http.Authorization;
import io.counterflow.serving.http.HttpFront;
import io.counterflow.serving.http.HttpPort;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.http.Routes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

final class ServingPortsIT {

    private static final Vertx VERTX = Vertx.vertx();

    @AfterAll
    static void close() throws Exception {
        await(VERTX.close());
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static HttpFront front(ServingConfig config) {
        return new HttpFront(
                new RequestWorkers(VERTX, 1),
                () -> true,
                new Routes(List.of()),
                new Authorization(Optional.empty(), AllowedHosts.any()),
                config.limits(),
                (route, status, nanos, ids, failure) -> {});
    }

    @Test
    void aPortThatIsInUseIsNamedWithItsOption() throws Exception {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ServingConfig config =
                    ServingConfig.parse(
                            """
                            serving.host: 127.0.0.1
                            serving.port: %d
                            serving.management.host: 127.0.0.1
                            serving.management.port: %d
                            serving.threads: 1
                            """
                                    .formatted(used.getLocalPort(), used.getLocalPort()),
                            Map.of());
            ServingPorts ports = new ServingPorts(VERTX, config);
            assertThatThrownBy(() -> await(ports.openApi(front(config))))
                    .cause()
                    .hasMessageContaining(
                            "serving.port %d cannot be opened on 127.0.0.1"
                                    .formatted(used.getLocalPort()));
            assertThatThrownBy(() -> await(ports.openManagement(front(config))))
                    .cause()
                    .hasMessageContaining("serving.management.port");
        }
    }

    @Test
    void severalThreadsShareAFreePort() throws Exception {
        ServingConfig config =
                ServingConfig.parse(
                        "serving.host: 127.0.0.1\nserving.port: 0\nserving.threads: 3\n", Map.of());
        HttpPort port = await(new ServingPorts(VERTX, config).openApi(front(config)));
        assertThat(port.port()).isPositive();
        await(port.close());
    }
}
