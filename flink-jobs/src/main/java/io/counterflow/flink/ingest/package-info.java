/** Decodes records to feedback events, heartbeats or dead letters. */
@NullMarked
package io.counterflow.flink.ingest;

import org.jspecify.annotations.NullMarked;
