package io.counterflow.cli.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.OfflineCommands;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class BrokerCommandIT {

    @TempDir private Path directory;

    @Test
    @Timeout(120)
    void aBrokerRunsUntilItIsStoppedAndKeepsItsData() throws Exception {
        int port = freePort();
        Thread broker = run(port);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
            admin.createTopics(Set.of(new NewTopic("kept", 1, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
        stop(broker);
        broker = run(port);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
            assertThat(admin.listTopics().names().get(60, TimeUnit.SECONDS)).contains("kept");
        }
        stop(broker);
    }

    private Thread run(int port) {
        Thread thread =
                new Thread(
                        () ->
                                new OfflineCommands()
                                        .run(
                                                "broker",
                                                "--port",
                                                port,
                                                "--directory",
                                                directory.resolve("data")),
                        "broker");
        thread.start();
        return thread;
    }

    private static void stop(Thread broker) throws InterruptedException {
        broker.interrupt();
        broker.join(Duration.ofMinutes(1).toMillis());
        assertThat(broker.isAlive()).isFalse();
    }

    @Test
    void aPortThatIsInUseIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            OfflineCommands commands = new OfflineCommands();
            commands.run("broker", "--port", taken.getLocalPort(), "--directory", directory);
            assertThat(commands.err())
                    .contains("port %d is in use".formatted(taken.getLocalPort()));
        }
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
