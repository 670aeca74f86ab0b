/** The dashboard in a real browser. */
@NullMarked
package io.counterflow.cli.dashboard;

import org.jspecify.annotations.NullMarked;
