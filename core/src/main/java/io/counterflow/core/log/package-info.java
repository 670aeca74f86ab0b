/** Logged examples in memory. */
@NullMarked
package io.counterflow.core.log;

import org.jspecify.annotations.NullMarked;
