/** How a loop decides, learns and rolls out: one checked value, and one table of its settings. */
@NullMarked
package io.counterflow.core.spec;

import org.jspecify.annotations.NullMarked;
