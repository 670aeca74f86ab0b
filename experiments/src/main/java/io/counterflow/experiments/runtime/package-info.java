/** The running time of an epoch. */
@NullMarked
package io.counterflow.experiments.runtime;

import org.jspecify.annotations.NullMarked;
