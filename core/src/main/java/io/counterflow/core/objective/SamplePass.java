package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;

/** The training sample and the current policy. */
public interface SamplePass {

    ExampleLog log();

    /**
     * ln π(a<sub>i</sub>|x<sub>i</sub>) under the current parameters of every example that has a
     * reward, 0 elsewhere: one pass over the rewarded part of the data. The array is reused by the
     * next call.
     */
    double[] logProbabilities();
}
