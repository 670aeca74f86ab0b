package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.serving.Main;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the serving process. */
@Command(
        name = "serve",
        description = "Run the serving process: the HTTP API and the dashboard.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow serve --config counterflow.yaml"})
public final class ServeCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(
            names = "--config",
            required = true,
            paramLabel = "FILE",
            description =
                    "Configuration file in YAML; docs/configuration.md lists the keys. Environment "
                            + "variables such as COUNTERFLOW_SERVING_PORT override it.")
    private @Nullable Path file;

    public ServeCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path given = Objects.requireNonNull(file); // a required option
        try {
            Main.serve(given, System.getenv(), output::note);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        }
        return ExitCode.DONE;
    }
}
