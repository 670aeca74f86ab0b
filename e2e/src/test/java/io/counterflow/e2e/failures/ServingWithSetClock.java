package io.counterflow.e2e.failures;

import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;

/**
 * A serving process whose clock is ahead of that of the machine by what a file says. Started with
 * the configuration and this file.
 */
final class ServingWithSetClock {

    private ServingWithSetClock() {}

    @SuppressWarnings("resource") // it ends with the process
    public static void main(String[] arguments) throws IOException {
        Path offset = Path.of(arguments[1]);
        Clock clock = ahead(offset).withZone(ZoneOffset.UTC);
        var unused =
                ServingProcess.start(
                        ServingConfig.read(Path.of(arguments[0]), Map.of()),
                        new ServingLog(System.err, clock),
                        clock);
    }

    private static InstantSource ahead(Path offset) {
        return () -> {
            try {
                return Instant.now().plus(Duration.parse(Files.readString(offset)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Sets the clock of the process. */
    static void set(Path offset, Duration ahead) throws IOException {
        Path written = offset.resolveSibling(offset.getFileName() + ".new");
        Files.writeString(written, ahead.toString());
        Files.move(
                written,
                offset,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
