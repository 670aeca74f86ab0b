/**
 * Runs the units of work of an experiment on all cores and keeps their results, so that a stopped
 * run can go on.
 */
@NullMarked
package io.counterflow.experiments.run;

import org.jspecify.annotations.NullMarked;
