/** Data sets of files, for the demo and for experiments. */
@NullMarked
package io.counterflow.cli.data;

import org.jspecify.annotations.NullMarked;
