/** Which policy version decides, when that changes, and why. */
@NullMarked
package io.counterflow.core.rollout;

import org.jspecify.annotations.NullMarked;
