/**
 * Runs the units of work of an experiment on all cores and stores their results, so that a stopped
 * run can continue.
 */
@NullMarked
package io.counterflow.experiments.run;

import org.jspecify.annotations.NullMarked;
