/** Logged decisions with their rewards, as single values and as examples in memory. */
@NullMarked
package io.counterflow.core.log;

import org.jspecify.annotations.NullMarked;
