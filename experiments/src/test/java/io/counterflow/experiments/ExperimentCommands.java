package io.counterflow.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.Capture;
import io.counterflow.cli.console.CommandLines;
import io.counterflow.cli.console.ExitCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs experiments in this process. */
public final class ExperimentCommands {

    private ExperimentCommands() {}

    /** Runs an experiment that must succeed and parses the JSON that it prints. */
    public static JsonNode json(Object... args) throws IOException {
        Capture capture = Capture.plain();
        List<String> words = new ArrayList<>();
        for (Object arg : args) {
            words.add(arg.toString());
        }
        words.add("--json");
        int exit =
                CommandLines.of(capture.terminal(), Experiments.commands(capture.terminal()))
                        .execute(words.toArray(String[]::new));
        assertThat(exit).as(capture.err()).isEqualTo(ExitCode.DONE);
        return new ObjectMapper().readTree(capture.out());
    }
}
