package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;

/** The training sample, and the policy as it is now. */
public interface SamplePass {

    /** The examples. */
    ExampleLog log();

    /**
     * ln π(a<sub>i</sub>|x<sub>i</sub>) of every example under the current parameters: one pass
     * over the data. The array is reused by the next call.
     */
    double[] logProbabilities();
}
