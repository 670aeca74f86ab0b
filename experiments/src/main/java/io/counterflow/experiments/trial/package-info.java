/**
 * Trials: their data, their logging policy, the methods that learn from their log, and test
 * rewards.
 */
@NullMarked
package io.counterflow.experiments.trial;

import org.jspecify.annotations.NullMarked;
