/** The counterflow command. */
@NullMarked
package io.counterflow.cli;

import org.jspecify.annotations.NullMarked;
