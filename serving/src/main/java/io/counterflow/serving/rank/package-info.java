/** Decisions. */
@NullMarked
package io.counterflow.serving.rank;

import org.jspecify.annotations.NullMarked;
