package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.policy.LinearModel;
import picocli.CommandLine.Option;

/** The options of the optimiser. A picocli mixin. */
final class TrainingOptions {

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Passes over the log. Default: ${DEFAULT-VALUE}.")
    int epochs = 100;

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Examples per step. Default: ${DEFAULT-VALUE}.")
    private int batchSize = 100;

    @Option(
            names = "--learning-rate",
            paramLabel = "X",
            converter = Ranges.Positive.class,
            description = "AdaGrad's learning rate. Default: ${DEFAULT-VALUE}.")
    private double learningRate = 0.1;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the shuffles. Default: ${DEFAULT-VALUE}.")
    long seed = 1;

    @Option(
            names = "--ada-grad-smoothing",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description = "AdaGrad's smoothing, added outside the root. Default: ${DEFAULT-VALUE}.")
    private double adaGradSmoothing = 1.0;

    /** Trains, and shows the progress on standard error. */
    PolicyTrainer.Trained train(
            Objective objective,
            ExampleLog log,
            LinearModel prior,
            TrainerConfig.Start start,
            double inverseTemperature,
            int passes,
            String label,
            Output output) {
        TrainerConfig config =
                BadInputException.ifRefused(
                        "training",
                        () ->
                                new TrainerConfig(
                                        passes,
                                        batchSize,
                                        new AdaGrad(learningRate, adaGradSmoothing),
                                        seed,
                                        start,
                                        inverseTemperature));
        long total = (long) passes * log.size();
        try (Progress progress = output.progress(label, "examples", total)) {
            return new PolicyTrainer(objective, config)
                    .train(log, prior, epoch -> progress.advance(log.size()));
        }
    }
}
