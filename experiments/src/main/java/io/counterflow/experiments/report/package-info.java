/** Tables, plots and tests of significance. */
@NullMarked
package io.counterflow.experiments.report;

import org.jspecify.annotations.NullMarked;
