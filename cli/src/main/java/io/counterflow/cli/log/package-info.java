/** Reads logs and models for the offline commands. */
@NullMarked
package io.counterflow.cli.log;

import org.jspecify.annotations.NullMarked;
