/**
 * The paper's experiments: supervised data turned into logged bandit feedback, what every method
 * learns from it, and how that compares.
 */
@NullMarked
package io.counterflow.experiments;

import org.jspecify.annotations.NullMarked;
