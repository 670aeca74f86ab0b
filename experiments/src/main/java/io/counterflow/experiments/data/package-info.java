/** The data sets of the experiments. */
@NullMarked
package io.counterflow.experiments.data;

import org.jspecify.annotations.NullMarked;
