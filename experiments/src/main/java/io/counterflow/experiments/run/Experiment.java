package io.counterflow.experiments.run;

import io.counterflow.cli.console.Report;

/** An experiment: runs units of work and reports their results. */
public interface Experiment<R extends Report> {

    /** The name in progress messages and results. */
    String name();

    /** Number of examples that are left to process. Existing results are not computed again. */
    long examplesLeft();

    /** Runs all trials, except for existing results. */
    R run(UnitPool pool);
}
