/** Policies in memory: follows the topics of specs, rollouts and snapshots. */
@NullMarked
package io.counterflow.client.policies;

import org.jspecify.annotations.NullMarked;
