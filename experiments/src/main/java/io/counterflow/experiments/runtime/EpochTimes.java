package io.counterflow.experiments.runtime;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodTraining;
import io.counterflow.experiments.trial.Strength;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * CPU time of one thread for each epoch of a training run. Unlike wall-clock time, it does not
 * depend on other processes.
 */
final class EpochTimes {

    private final List<Double> seconds = new ArrayList<>();

    /**
     * Trains and records the times.
     *
     * @param warmUp number of first epochs that are not measured, while the JVM compiles the code
     */
    void measure(Method method, Strength strength, LoggedTrial trial, int epochs, int warmUp) {
        Require.atLeast(1, epochs, "epochs");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] at = new long[warmUp + epochs + 1];
        new MethodTraining(method, strength, warmUp + epochs, 1)
                .run(trial, trial.log(), epoch -> at[epoch] = threads.getCurrentThreadCpuTime());
        // The first epoch has no start time: training prepares its data before it.
        for (int epoch = Math.max(2, warmUp + 1); epoch < at.length; epoch++) {
            seconds.add((at[epoch] - at[epoch - 1]) / 1e9);
        }
    }

    List<Double> seconds() {
        return List.copyOf(seconds);
    }

    /** The median time, which single slow or fast epochs do not change. */
    double median() {
        List<Double> sorted = new ArrayList<>(seconds);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    /** The shortest time: the speed of the machine without disturbance. */
    double best() {
        return Collections.min(seconds);
    }
}
