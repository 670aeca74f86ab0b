/** Suggestions for mistyped words. */
@NullMarked
package io.counterflow.schemas.text;

import org.jspecify.annotations.NullMarked;
