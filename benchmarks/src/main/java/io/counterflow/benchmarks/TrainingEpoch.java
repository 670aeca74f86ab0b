package io.counterflow.benchmarks;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.DenseModel;
import java.lang.management.ManagementFactory;

/**
 * Measures epochs of training on data shaped like logged Fashion-MNIST: 59,000 contexts of 784
 * floats, half of them zero, ten actions, about half of the rewards zero, mini-batches of 100, one
 * thread.
 *
 * <p>Prints one JSON object: examples per second of CPU time in the best epoch, and bytes allocated
 * per example after the first epochs. {@code benchmarks/training} compares it with the same epoch
 * in plain C++.
 */
public final class TrainingEpoch {

    private static final int EXAMPLES = 59_000;
    private static final int DIMENSION = 784;
    private static final int ACTIONS = 10;
    private static final int WARM_UP = 10;
    private static final int EPOCHS = 25;

    private TrainingEpoch() {}

    public static void main(String[] args) {
        Objective ipsLpr = Objectives.ipsLpr(0.01, 1e-5);
        Measured skipping = measure(ipsLpr, log(0.51));
        Measured all = measure(ipsLpr, log(1.0));
        Measured poem = measure(Objectives.poem(0.01, 1.0), log(0.51));
        System.out.printf(
                "{\"examplesPerSecond\":%.0f,\"nanosecondsPerExample\":%.0f,"
                        + "\"bytesPerExample\":%.4f,"
                        + "\"everyRewardAboveZeroExamplesPerSecond\":%.0f,"
                        + "\"poemExamplesPerSecond\":%.0f}%n",
                skipping.examplesPerSecond,
                1e9 / skipping.examplesPerSecond,
                skipping.bytesPerExample,
                all.examplesPerSecond,
                poem.examplesPerSecond);
    }

    /** The speed of the best epoch, and the bytes that an epoch allocates after compilation. */
    private record Measured(double examplesPerSecond, double bytesPerExample) {}

    private static Measured measure(Objective objective, ExampleLog log) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] cpu = new long[EPOCHS + 1];
        long[] bytes = new long[EPOCHS + 1];
        TrainerConfig config =
                new TrainerConfig(EPOCHS, 100, new AdaGrad(0.1, 1.0), 1, TrainerConfig.Start.PRIOR);
        new PolicyTrainer(objective, config)
                .train(
                        log,
                        DenseModel.zeros(ACTIONS, DIMENSION),
                        epoch -> {
                            cpu[epoch] = threads.getCurrentThreadCpuTime();
                            bytes[epoch] = threads.getCurrentThreadAllocatedBytes();
                        });
        long best = Long.MAX_VALUE;
        for (int epoch = WARM_UP + 1; epoch <= EPOCHS; epoch++) {
            best = Math.min(best, cpu[epoch] - cpu[epoch - 1]);
        }
        double epochBytes = (double) (bytes[EPOCHS] - bytes[WARM_UP]) / (EPOCHS - WARM_UP);
        return new Measured(EXAMPLES * 1e9 / best, epochBytes / EXAMPLES);
    }

    private static ExampleLog log(double rewarded) {
        EventRandom random = new EventRandom(7);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < EXAMPLES; i++) {
            float[] x = new float[DIMENSION];
            for (int j = 0; j < DIMENSION; j++) {
                x[j] = random.nextDouble() < 0.5 ? 0.0f : (float) random.nextDouble();
            }
            log.add(
                    new LoggedExample(
                            DenseVector.owning(x),
                            random.nextInt(ACTIONS),
                            0.05 + 0.9 * random.nextDouble(),
                            random.nextDouble() < rewarded ? 1.0 : 0.0,
                            0));
        }
        return log;
    }
}
