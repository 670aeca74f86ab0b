package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.objective.SamplePass;

/** A sample under the current parameters of a learner. */
public final class LearnerPass implements SamplePass {

    private final ExampleLog log;
    private final Learner learner;
    private final double[] logProbabilities;

    public LearnerPass(ExampleLog log, Learner learner) {
        this.log = log;
        this.learner = learner;
        this.logProbabilities = new double[log.size()];
    }

    @Override
    public ExampleLog log() {
        return log;
    }

    @Override
    public double[] logProbabilities() {
        learner.logProbabilities(log, true, logProbabilities);
        return logProbabilities;
    }
}
