/**
 * How far a loop's feedback comes on its way from decision to served policy, and why no further.
 */
@NullMarked
package io.counterflow.serving.pipeline;

import org.jspecify.annotations.NullMarked;
