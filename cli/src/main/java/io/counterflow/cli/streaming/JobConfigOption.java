package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.flink.config.JobConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The configuration of the streaming job. A picocli mixin. */
public final class JobConfigOption {

    @Option(
            names = "--config",
            required = true,
            paramLabel = "FILE",
            description =
                    "Configuration file in YAML; docs/configuration.md lists the keys. Environment "
                            + "variables such as COUNTERFLOW_KAFKA_BOOTSTRAP_SERVERS override it.")
    private @Nullable Path file;

    public JobConfig read() throws IOException {
        return read(Objects.requireNonNull(file)); // a required option
    }

    /** Reads the configuration in a file and in the environment. */
    public static JobConfig read(Path given) throws IOException {
        if (!Files.isRegularFile(given)) {
            throw new NoSuchFileException(given.toString());
        }
        try {
            return JobConfig.read(given, System.getenv());
        } catch (IllegalArgumentException e) {
            throw new BadInputException(given + ": " + e.getMessage(), e);
        }
    }
}
