/** Impressions and named features as JSON, read with limits. */
@NullMarked
package io.counterflow.schemas.json;

import org.jspecify.annotations.NullMarked;
