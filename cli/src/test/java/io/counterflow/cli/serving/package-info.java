/** The serving process over real HTTP and a real broker. */
@NullMarked
package io.counterflow.cli.serving;

import org.jspecify.annotations.NullMarked;
