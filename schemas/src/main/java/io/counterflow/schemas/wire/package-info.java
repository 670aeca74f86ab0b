/**
 * How records become bytes and bytes records, and conversions between records and what they mean.
 */
@NullMarked
package io.counterflow.schemas.wire;

import org.jspecify.annotations.NullMarked;
