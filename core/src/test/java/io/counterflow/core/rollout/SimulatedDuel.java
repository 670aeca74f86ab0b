package io.counterflow.core.rollout;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;

/**
 * Two policies whose order is known: softmaxes of the true scores. The one with the higher inverse
 * temperature is better.
 */
final class SimulatedDuel {

    private static final int ACTIONS = 5;
    private static final int DIMENSION = 4;

    private final SimulatedLoop truth;
    private final Policy holder;
    private final Policy challenger;

    SimulatedDuel(double holderTemperature, double challengerTemperature, int seed) {
        this.truth = new SimulatedLoop(ACTIONS, DIMENSION, seed);
        DenseModel scores = SimulatedLoop.randomModel(ACTIONS, DIMENSION, 1.5, seed);
        this.holder = Policy.softmax(scores.scaled(holderTemperature));
        this.challenger = Policy.softmax(scores.scaled(challengerTemperature));
    }

    /** One example that the holder logged, as the gate gets it. */
    record Event(double challengerWeight, double reward) {}

    Event[] events(int n, int seed) {
        ExampleLog log = truth.log(holder, n, new EventRandom(seed));
        double[] probabilities = new double[ACTIONS];
        Event[] events = new Event[n];
        for (int i = 0; i < n; i++) {
            challenger.probabilities(log.features(i), log.allowed(i), probabilities);
            events[i] = new Event(probabilities[log.action(i)] / log.propensity(i), log.reward(i));
        }
        return events;
    }

    /** V of the challenger minus V of the holder. */
    double gap() {
        return truth.value(challenger, 2_000, new EventRandom(1))
                - truth.value(holder, 2_000, new EventRandom(1));
    }
}
