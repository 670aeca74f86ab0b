/** The wire format of records, and conversions between records and domain types. */
@NullMarked
package io.counterflow.schemas.wire;

import org.jspecify.annotations.NullMarked;
