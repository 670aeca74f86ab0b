/** Simulates the gate on streams with known values: how often it is wrong, how long it takes. */
@NullMarked
package io.counterflow.experiments.gate;

import org.jspecify.annotations.NullMarked;
