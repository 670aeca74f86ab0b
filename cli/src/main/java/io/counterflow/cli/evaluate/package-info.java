/** Estimates the values of policies from logs: the command {@code evaluate}. */
@NullMarked
package io.counterflow.cli.evaluate;

import org.jspecify.annotations.NullMarked;
