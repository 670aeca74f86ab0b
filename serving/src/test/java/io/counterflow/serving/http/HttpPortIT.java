package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.serving.config.ServingConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HttpPortIT {

    private static final Vertx VERTX = Vertx.vertx();
    private static final String PASSWORD = "changeit";

    @TempDir private Path directory;

    @AfterAll
    static void close() throws Exception {
        await(VERTX.close());
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private PfxOptions certificate(String name) throws IOException, InterruptedException {
        Path store = directory.resolve(name);
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                name,
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=localhost",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD)
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        return new PfxOptions().setPath(store.toString()).setPassword(PASSWORD);
    }

    /** Sends nothing; fails if the server waits for its default of ten seconds. */
    private static void awaitClosed(HttpPort port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
            socket.setSoTimeout(7_000);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aNewCertificateKeepsTheTimeLimitOfHandshakes() throws Exception {
        HttpLimits limits = ServingConfig.parse("", Map.of()).limits();
        HttpPort port =
                await(
                        HttpPort.open(
                                VERTX,
                                new HttpServerOptions()
                                        .setHost("127.0.0.1")
                                        .setPort(0)
                                        .setUseAlpn(false)
                                        .setSsl(true)
                                        .setKeyCertOptions(certificate("first"))
                                        .setSslHandshakeTimeout(200)
                                        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS),
                                new Connections(limits),
                                1,
                                Duration.ZERO,
                                new HttpFront(
                                        new RequestWorkers(VERTX, 1),
                                        () -> true,
                                        new Routes(List.of()),
                                        new Authorization(Optional.empty(), AllowedHosts.any()),
                                        limits,
                                        (route, status, nanos, ids, failure) -> {})));
        awaitClosed(port);
        await(port.useCertificate(certificate("second")));
        awaitClosed(port);
        await(port.close());
    }
}
