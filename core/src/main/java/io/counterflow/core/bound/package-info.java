/** Risk bounds with their terms. */
@NullMarked
package io.counterflow.core.bound;

import org.jspecify.annotations.NullMarked;
