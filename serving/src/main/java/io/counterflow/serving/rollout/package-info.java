/** What people ask of rollouts. */
@NullMarked
package io.counterflow.serving.rollout;

import org.jspecify.annotations.NullMarked;
