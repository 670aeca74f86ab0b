/** The whole job on a real broker and a real cluster. */
@NullMarked
package io.counterflow.e2e.streaming;

import org.jspecify.annotations.NullMarked;
