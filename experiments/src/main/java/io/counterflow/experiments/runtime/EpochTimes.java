package io.counterflow.experiments.runtime;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodTraining;
import io.counterflow.experiments.trial.Strength;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;

/**
 * CPU time of one thread for each epoch of a training run. Unlike wall-clock time, it does not
 * depend on other processes.
 */
final class EpochTimes {

    /** One epoch of a method, numbered from 0. */
    record Epoch(Method method, int number, double seconds) {}

    private final Method method;
    private final Strength strength;
    private final List<Epoch> epochs = new ArrayList<>();

    EpochTimes(Method method, Strength strength) {
        this.method = method;
        this.strength = strength;
    }

    Method method() {
        return method;
    }

    /**
     * Trains and records the times.
     *
     * @param warmUp number of first epochs that are not measured, while the JVM compiles the code
     */
    void measure(LoggedTrial trial, int count, int warmUp) {
        Require.atLeast(1, count, "epochs");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] at = new long[warmUp + count + 1];
        new MethodTraining(method, strength, warmUp + count, 1)
                .run(trial, trial.log(), epoch -> at[epoch] = threads.getCurrentThreadCpuTime());
        // The first epoch has no start time: training prepares its data before it.
        for (int epoch = Math.max(2, warmUp + 1); epoch < at.length; epoch++) {
            epochs.add(new Epoch(method, epochs.size(), (at[epoch] - at[epoch - 1]) / 1e9));
        }
    }

    List<Epoch> epochs() {
        return List.copyOf(epochs);
    }

    /** The median time, which single slow or fast epochs do not change. */
    double median() {
        return sorted()[epochs.size() / 2];
    }

    /** The shortest time: the speed of the machine without disturbance. */
    double best() {
        return sorted()[0];
    }

    private double[] sorted() {
        return epochs.stream().mapToDouble(Epoch::seconds).sorted().toArray();
    }
}
