/** The command {@code import}: logs of other programs become Counterflow's logs. */
@NullMarked
package io.counterflow.cli.imports;

import org.jspecify.annotations.NullMarked;
