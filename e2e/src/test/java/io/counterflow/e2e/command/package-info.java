/** The command and its launcher, as processes. */
@NullMarked
package io.counterflow.e2e.command;

import org.jspecify.annotations.NullMarked;
