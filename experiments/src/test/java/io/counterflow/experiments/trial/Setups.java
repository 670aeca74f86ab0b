package io.counterflow.experiments.trial;

import io.counterflow.experiments.data.ClassificationData;
import java.io.IOException;
import java.nio.file.Path;

/** Setups of small experiments, for tests. */
public final class Setups {

    private Setups() {}

    /** One trial with the seed 1, as the command has it by default. */
    public static Setup of(Path data, int supervised, int loggingEpochs) throws IOException {
        return new Setup(
                ClassificationData.read(data),
                new LoggingSettings(supervised, loggingEpochs, 0.01),
                1,
                1);
    }
}
