/** Impressions and named features as JSON, with limits for untrusted input. */
@NullMarked
package io.counterflow.schemas.json;

import org.jspecify.annotations.NullMarked;
