package io.counterflow.cli.savepoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad input; an IT because it looks at files. The module e2e has savepoints of a job. */
final class SavepointCommandIT {

    @TempDir private Path directory;

    private final OfflineCommands commands = new OfflineCommands();

    @Test
    void aDirectoryThatIsNotASavepointIsBadInput() throws Exception {
        assertThat(commands.run("savepoint", "list", directory)).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err())
                .startsWith("counterflow savepoint list: " + directory + " is not a savepoint")
                .contains("give a directory that contains the file _metadata")
                .doesNotContain("at io.counterflow");
        Files.writeString(directory.resolve("_metadata"), "broken");
        assertThat(commands.run("savepoint", "show", directory, "home"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("the metadata of " + directory + " cannot be read");
    }

    @Test
    void aMissingSavepointIsBadInputAndNothingIsWritten() {
        Path output = directory.resolve("output");
        assertThat(
                        commands.run(
                                "savepoint",
                                "delete",
                                directory.resolve("none"),
                                "home",
                                "--output",
                                output))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("none is not a savepoint");
        assertThat(output).doesNotExist();
    }

    @Test
    void aDeletionNeedsLoopsAndAnOutput() {
        assertThat(commands.run("savepoint", "delete", directory, "home"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("--output");
        assertThat(commands.run("savepoint", "delete", directory, "--output", "x"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("LOOP");
    }

    @Test
    void theCommandsAreInTheHelp() {
        assertThat(commands.run("savepoint", "--help")).isEqualTo(ExitCode.DONE);
        assertThat(commands.out()).contains("list", "show", "delete", "Examples:");
        assertThat(commands.run("savepoint", "delete", "--help")).isEqualTo(ExitCode.DONE);
        assertThat(commands.out()).contains("SAVEPOINT LOOP...", "--output=DIR");
    }
}
