package io.counterflow.core.log;

import io.counterflow.core.policy.Policy;

/** Computes the probabilities of logged actions under another policy. Not thread safe. */
public final class PolicyOnLog {

    private final Policy policy;
    private final ExampleLog log;
    private double[] probabilities = new double[0];

    public PolicyOnLog(Policy policy, ExampleLog log) {
        this.policy = policy;
        this.log = log;
    }

    /** π(a|x) of example i, among the actions that were allowed. */
    public double probability(int i) {
        int actions = policy.actionCount(log.features(i));
        if (probabilities.length < actions) {
            probabilities = new double[actions];
        }
        policy.probabilities(log.features(i), log.allowed(i), probabilities);
        return probabilities[log.action(i)];
    }
}
