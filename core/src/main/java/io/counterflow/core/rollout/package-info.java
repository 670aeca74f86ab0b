/** Decides which policy version is active, and records why. */
@NullMarked
package io.counterflow.core.rollout;

import org.jspecify.annotations.NullMarked;
