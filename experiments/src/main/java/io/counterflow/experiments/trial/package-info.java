/**
 * One trial: its data, its logging policy, the methods that learn from its log, and their test
 * reward.
 */
@NullMarked
package io.counterflow.experiments.trial;

import org.jspecify.annotations.NullMarked;
