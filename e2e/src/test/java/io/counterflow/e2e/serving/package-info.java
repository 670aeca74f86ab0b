/** Serving on a real broker. */
@NullMarked
package io.counterflow.e2e.serving;

import org.jspecify.annotations.NullMarked;
