/** Avro records, the wire codec, log files and snapshot files. */
@NullMarked
package io.counterflow.schemas;

import org.jspecify.annotations.NullMarked;
