/** Arithmetic whose bits do not depend on the machine: exponential, softmax, random draws. */
@NullMarked
package io.counterflow.core.numeric;

import org.jspecify.annotations.NullMarked;
