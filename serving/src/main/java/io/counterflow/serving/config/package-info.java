/** What the serving process is told at start-up. */
@NullMarked
package io.counterflow.serving.config;

import org.jspecify.annotations.NullMarked;
