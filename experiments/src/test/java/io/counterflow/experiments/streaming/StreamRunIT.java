package io.counterflow.experiments.streaming;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.data.IdxFiles;
import io.counterflow.experiments.data.LabelledSet;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Setups;
import io.counterflow.experiments.trial.Trial;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StreamRunIT {

    @Test
    void moreGenerationsThanContextsAreRefused(@TempDir Path data) throws IOException {
        IdxFiles.images(data, 20, 10);
        Setup setup = Setups.of(data, 10, 1);
        Trial trial = setup.trial(0);
        LabelledSet contexts = setup.data().train();
        StreamRun run = new StreamRun(new StreamGrid().settings(), 1);
        assertThatThrownBy(() -> run.learnInGenerations(trial, contexts, 5, 6, steps -> {}))
                .isInstanceOf(BadInputException.class)
                .hasMessage("generations must be at most as many as contexts, 5, got 6");
    }
}
