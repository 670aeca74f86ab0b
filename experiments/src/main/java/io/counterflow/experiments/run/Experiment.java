package io.counterflow.experiments.run;

import io.counterflow.cli.console.Report;

/** Units of work, and what is said of their results. */
public interface Experiment<R extends Report> {

    /** As it is called in progress and results. */
    String name();

    /** Examples that are still to be stepped on; what was done is taken from the results. */
    long examplesLeft();

    /** Does all trials, or what is left of them. */
    R run(UnitPool pool);
}
