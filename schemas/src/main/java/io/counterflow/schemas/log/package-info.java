/** Log files: impressions with their rewards, in lines of JSON or in Avro. */
@NullMarked
package io.counterflow.schemas.log;

import org.jspecify.annotations.NullMarked;
