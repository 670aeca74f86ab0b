/** Words and durations as people read and write them, in every form of the product. */
@NullMarked
package io.counterflow.core.text;

import org.jspecify.annotations.NullMarked;
