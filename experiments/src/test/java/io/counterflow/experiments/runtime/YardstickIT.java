package io.counterflow.experiments.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class YardstickIT {

    @TempDir private Path dir;

    private Path program(String commands) throws IOException {
        Path program = dir.resolve("yardstick");
        Files.writeString(program, "#!/bin/sh\n" + commands + "\n");
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void readsTheSpeedThatTheProgramPrints() throws IOException {
        Path program = program("echo '{\"other\":1,\"epochSkipExamplesPerSecond\":1250000.5}'");
        assertThat(Yardstick.run(program).examplesPerSecond()).isEqualTo(1250000.5);
    }

    @Test
    void aProgramThatFailsOrPrintsAnythingElseIsRefused() throws IOException {
        refused("echo '{\"other\":1}'", "must print a number above 0 as epochSkipExamples");
        refused("echo hello", "must print one JSON object");
        refused("exit 3", "must end with code 0, got 3");
    }

    private void refused(String commands, String message) throws IOException {
        Path program = program(commands);
        assertThatThrownBy(() -> Yardstick.run(program))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(message);
    }
}
