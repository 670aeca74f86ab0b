/** Words that people give, and what they may have meant. */
@NullMarked
package io.counterflow.schemas.text;

import org.jspecify.annotations.NullMarked;
