/** Rollouts and rollout commands as Avro records. */
@NullMarked
package io.counterflow.schemas.rollout;

import org.jspecify.annotations.NullMarked;
