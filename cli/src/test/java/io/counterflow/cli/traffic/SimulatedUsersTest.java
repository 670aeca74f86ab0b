package io.counterflow.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SimulatedUsersTest {

    private static final int NOBODY_LISTENS = 1;

    @Test
    void usersWhoCannotComeAnyMoreAreReported() throws Exception {
        World world = new NewsWorld(1);
        SimulatedUsers users =
                new SimulatedUsers(
                        world,
                        new ServingClient(NOBODY_LISTENS, world.loop()),
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
