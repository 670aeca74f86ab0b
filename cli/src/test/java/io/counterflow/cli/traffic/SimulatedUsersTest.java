package io.counterflow.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SimulatedUsersTest {

    private static final URI NOBODY_LISTENS = URI.create("http://127.0.0.1:1");

    @Test
    void aUserThatStopsBecauseOfAnErrorIsReported() throws Exception {
        World world = new NewsWorld(1);
        SimulatedUsers users =
                new SimulatedUsers(
                        world,
                        new CounterflowClient(ClientSettings.of(NOBODY_LISTENS)),
                        () -> {
                            throw new UncheckedIOException(new IOException("the disk is full"));
                        },
                        1,
                        100);
        BlockingQueue<String> failures = new LinkedBlockingQueue<>();
        users.start(failures::add);
        try {
            assertThat(failures.poll(30, TimeUnit.SECONDS))
                    .startsWith("user-")
                    .contains("the disk is full");
        } finally {
            users.stop();
        }
    }
}
