/**
 * The paper's experiments. They turn supervised data into logged bandit feedback, train each method
 * on it and compare the results.
 */
@NullMarked
package io.counterflow.experiments;

import org.jspecify.annotations.NullMarked;
