package io.counterflow.core.rewardmodel;

import io.counterflow.core.log.ExampleLog;

/**
 * The examples of a log on which a model is fitted: all except those of the held-out fold. Example
 * i is in fold i mod {@code folds}.
 *
 * @param heldOut the held-out fold, or {@link #NONE}
 */
record TrainingFold(ExampleLog log, int folds, int heldOut) {

    static final int NONE = -1;

    static TrainingFold whole(ExampleLog log) {
        return new TrainingFold(log, 1, NONE);
    }

    boolean contains(int example) {
        return example % folds != heldOut;
    }
}
