/** Loop specs as JSON and as Avro records. */
@NullMarked
package io.counterflow.schemas.spec;

import org.jspecify.annotations.NullMarked;
