/** Policy snapshots as records, files and JSON, verified when they are read. */
@NullMarked
package io.counterflow.schemas.snapshot;

import org.jspecify.annotations.NullMarked;
