package io.counterflow.experiments.trial;

import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.experiments.data.ClassificationData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the data of trials and for the output directory. A picocli mixin. */
public final class DataOptions {

    @Option(
            names = "--data",
            paramLabel = "DIR",
            required = true,
            description =
                    "Files of Fashion-MNIST (train-images-idx3-ubyte.gz and so on) or of features"
                            + " of CIFAR-100 (train-features-0-idx2-ubyte.gz and so on).")
    private @Nullable Path data;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Directory for results, tables and plots. Existing results are kept,"
                            + " except for running times. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("counterflow-experiments");

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of splits, logs and shuffles. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--supervised",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of labelled examples for training the logging policy. Default: 1000.")
    private @Nullable Integer supervised;

    @Option(
            names = "--logging-epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Passes over them. Default: 6 for Fashion-MNIST, 30 for CIFAR-100, which give a"
                            + " logging policy like the paper's.")
    private @Nullable Integer loggingEpochs;

    @Option(
            names = "--logging-lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description = "Its L2 penalty. Default: 0.01 for Fashion-MNIST, 0.001 for CIFAR-100.")
    private @Nullable Double loggingLambda;

    /** Reads the data. This takes some seconds. */
    public Setup setup(int trials, Output output) throws IOException {
        Path directory = Objects.requireNonNull(data);
        output.note("reading " + directory);
        ClassificationData read = ClassificationData.read(directory);
        LoggingSettings usual = LoggingSettings.of(read.kind());
        return new Setup(
                read,
                new LoggingSettings(
                        Objects.requireNonNullElse(supervised, usual.supervised()),
                        Objects.requireNonNullElse(loggingEpochs, usual.epochs()),
                        Objects.requireNonNullElse(loggingLambda, usual.lambda())),
                trials,
                seed);
    }

    /** The output directory; created if it does not exist. */
    public Path out() throws IOException {
        return Files.createDirectories(out);
    }
}
