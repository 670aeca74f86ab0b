/** What operators and their machines ask. */
@NullMarked
package io.counterflow.serving.health;

import org.jspecify.annotations.NullMarked;
