/** The paper's sweeps over the regularisation and the temperature of the logging policy. */
@NullMarked
package io.counterflow.experiments.sweep;

import org.jspecify.annotations.NullMarked;
