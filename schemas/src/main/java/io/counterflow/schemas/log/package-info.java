/** Log files: impressions with their rewards, as JSON lines or Avro. */
@NullMarked
package io.counterflow.schemas.log;

import org.jspecify.annotations.NullMarked;
