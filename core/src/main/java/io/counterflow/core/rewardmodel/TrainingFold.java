package io.counterflow.core.rewardmodel;

import io.counterflow.core.log.ExampleLog;

/**
 * The examples of a log that a model may be fitted on: all whose position is not in the fold that
 * is held out. Example i is in fold i mod {@code folds}.
 *
 * @param heldOut the fold left out, or {@link #NONE}
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
