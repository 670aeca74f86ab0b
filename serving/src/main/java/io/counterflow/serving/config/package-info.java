/** The configuration of the serving process. */
@NullMarked
package io.counterflow.serving.config;

import org.jspecify.annotations.NullMarked;
