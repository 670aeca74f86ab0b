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
 * CPU time of one thread for each epoch of a training run, which other processes do not lengthen as
 * they do the time on the wall.
 */
final class EpochTimes {

    private final List<Double> seconds = new ArrayList<>();

    /**
     * Trains, and keeps the times.
     *
     * @param warmUp first epochs that are not counted, while the code is compiled
     */
    void measure(Method method, Strength strength, LoggedTrial trial, int epochs, int warmUp) {
        Require.atLeast(1, epochs, "epochs");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] at = new long[warmUp + epochs + 1];
        new MethodTraining(method, strength, warmUp + epochs, 1)
                .run(trial, trial.log(), epoch -> at[epoch] = threads.getCurrentThreadCpuTime());
        // The first has no start: training makes ready before it.
        for (int epoch = Math.max(2, warmUp + 1); epoch < at.length; epoch++) {
            seconds.add((at[epoch] - at[epoch - 1]) / 1e9);
        }
    }

    List<Double> seconds() {
        return List.copyOf(seconds);
    }

    /** The middle one, which neither a slow nor a lucky epoch moves. */
    double median() {
        List<Double> sorted = new ArrayList<>(seconds);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    /** The fastest: what the machine can do when nothing is in the way. */
    double best() {
        return Collections.min(seconds);
    }
}
