/** Risk bounds, each with its parts. */
@NullMarked
package io.counterflow.core.bound;

import org.jspecify.annotations.NullMarked;
