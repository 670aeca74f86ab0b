/** The policies that decide, as the topics say. */
@NullMarked
package io.counterflow.serving.policies;

import org.jspecify.annotations.NullMarked;
