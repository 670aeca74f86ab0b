/** Objectives of the paper with their gradients, AdaGrad, and training. */
@NullMarked
package io.counterflow.core.learn;

import org.jspecify.annotations.NullMarked;
