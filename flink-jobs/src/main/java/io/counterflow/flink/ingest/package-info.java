/** From bytes on a topic to feedback that can be joined, or to a dead letter that says why not. */
@NullMarked
package io.counterflow.flink.ingest;

import org.jspecify.annotations.NullMarked;
