/** Specs of loops. */
@NullMarked
package io.counterflow.serving.loops;

import org.jspecify.annotations.NullMarked;
