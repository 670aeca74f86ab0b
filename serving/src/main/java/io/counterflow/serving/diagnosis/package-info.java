/** Finds the stage of a loop's pipeline that is stalled, and says why. */
@NullMarked
package io.counterflow.serving.diagnosis;

import org.jspecify.annotations.NullMarked;
