/** Arithmetic with the same bits on every machine: exponential, softmax, random draws; checks. */
@NullMarked
package io.counterflow.core.numeric;

import org.jspecify.annotations.NullMarked;
