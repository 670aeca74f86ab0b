/** Recent decisions as they were logged, and their explanation. */
@NullMarked
package io.counterflow.serving.events;

import org.jspecify.annotations.NullMarked;
