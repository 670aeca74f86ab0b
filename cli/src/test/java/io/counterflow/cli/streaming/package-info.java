/** The whole job on a real broker and a real cluster. */
@NullMarked
package io.counterflow.cli.streaming;

import org.jspecify.annotations.NullMarked;
