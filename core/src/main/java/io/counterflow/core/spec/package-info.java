/** The spec of a loop, and the table of its settings. */
@NullMarked
package io.counterflow.core.spec;

import org.jspecify.annotations.NullMarked;
